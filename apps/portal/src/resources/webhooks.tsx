import { useState } from 'react';
import { SelectField } from '../components/fields.js';
import { SearchField } from '../components/search-field.js';
import { useWebhookChoices, useWebhookName } from '../data/webhook-choices.js';
import { formatCount } from '../text/numbers.js';
import { printable } from '../text/untrusted.js';

type WebhookFieldProps = {
  label: string;
  /** The label of the choice without a webhook, such as "All webhooks". */
  noneLabel: string;
  value: string;
  onChange: (id: string) => void;
  errors?: readonly string[];
};

/** Lets the user choose a webhook. If the account has more than 100, a search by name precedes the list. */
export function WebhookField({ label, noneLabel, value, onChange, errors = [] }: WebhookFieldProps) {
  const [search, setSearch] = useState('');
  const unfiltered = useWebhookChoices().data;
  const { webhooks = [], total = 0 } = useWebhookChoices(search).data ?? {};
  const name = useWebhookName(value);
  const options = webhooks.map((webhook) => ({ value: webhook.id, label: printable(webhook.name) }));
  // The chosen webhook is always an option. The name of a deleted webhook is unknown.
  const isUnlisted = value !== '' && !options.some((option) => option.value === value);
  const chosen = isUnlisted ? [{ value, label: name === undefined ? value : printable(name) }] : [];
  const isSearchable = unfiltered !== undefined && unfiltered.total > unfiltered.webhooks.length;
  const hint = total > webhooks.length ? `The newest ${webhooks.length} of ${formatCount(total)}.` : undefined;
  return (
    <div className="webhook-field">
      {isSearchable && <SearchField label={`${label}: name contains`} value={search} onSearch={setSearch} />}
      <SelectField
        label={label}
        hint={isSearchable ? (hint ?? `${formatCount(total)} found.`) : undefined}
        value={value}
        onChange={onChange}
        options={[{ value: '', label: noneLabel }, ...chosen, ...options]}
        errors={errors}
      />
    </div>
  );
}
