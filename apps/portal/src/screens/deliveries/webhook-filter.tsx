import { CommittedField } from '../../components/committed-field.js';
import { SelectField } from '../../components/field.js';
import { useWebhookChoices, useWebhookName } from '../../data/webhook-names.js';
import { printable } from '../../text/printable.js';

const maxChoices = 99;

/** Chooses a webhook by its name; by its id when the account has many. */
export function WebhookFilter({ id, onChange }: { id: string; onChange: (id: string) => void }) {
  const choices = useWebhookChoices().data ?? [];
  if (choices.length > maxChoices) return <WebhookIdField id={id} onChange={onChange} />;
  const options = choices.map((webhook) => ({ value: webhook.id, label: printable(webhook.name) }));
  // A deleted webhook has no name any more, but its deliveries stay.
  if (id !== '' && !options.some(({ value }) => value === id)) options.push({ value: id, label: id });
  return (
    <SelectField label="Webhook" value={id} onChange={onChange} options={[{ value: '', label: 'Any' }, ...options]} />
  );
}

function WebhookIdField({ id, onChange }: { id: string; onChange: (id: string) => void }) {
  return (
    <CommittedField
      label="Webhook id"
      value={id}
      onCommit={onChange}
      hint={id === '' ? 'Open a webhook to see its id.' : <NameOf id={id} />}
    />
  );
}

function NameOf({ id }: { id: string }) {
  return <>{printable(useWebhookName(id) ?? '')}</>;
}
