import { useWebhookChoices, useWebhookName } from '../data/webhook-names.js';
import { printable } from '../text/printable.js';
import { SelectField } from './field.js';

type WebhookFieldProps = {
  label: string;
  /** The choice of no webhook, such as "All webhooks". */
  noneLabel: string;
  value: string;
  onChange: (id: string) => void;
  errors?: readonly string[];
};

/** A choice of one of the newest webhooks. The chosen one is always among them. */
export function WebhookField({ label, noneLabel, value, onChange, errors = [] }: WebhookFieldProps) {
  const { data = [] } = useWebhookChoices();
  const options = [
    { value: '', label: noneLabel },
    ...data.map(({ id, name }) => ({ value: id, label: printable(name) })),
  ];
  const isKnown = value === '' || data.some(({ id }) => id === value);
  return (
    <>
      {isKnown ? (
        <SelectField label={label} value={value} onChange={onChange} options={options} errors={errors} />
      ) : (
        <UnknownChoice label={label} value={value} onChange={onChange} options={options} errors={errors} />
      )}
    </>
  );
}

type UnknownChoiceProps = Omit<WebhookFieldProps, 'noneLabel'> & { options: { value: string; label: string }[] };

/** The choices, with a webhook that is not one of the newest. */
function UnknownChoice({ options, value, ...rest }: UnknownChoiceProps) {
  const name = useWebhookName(value);
  const label = name === undefined ? value : printable(name);
  return <SelectField {...rest} value={value} options={[...options, { value, label }]} />;
}
