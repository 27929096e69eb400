import type { ChangedField } from '../changes.js';
import { templateText } from './template-text.js';
import type { NewWebhook } from './webhook-row.js';

/** A field's value, and the form in which the change history shows it. `shown` is absent for secrets and templates. */
type Field = { value: unknown; shown?: string | number | boolean | null };
type Fields = Record<string, Field>;

// The query may contain a secret of the receiver.
const withoutQuery = (uri: string) => uri.replace(/\?[^]*$/, '');

/** The fields of a webhook, by their names in the API. */
const fieldsOf = (webhook: NewWebhook): Fields => ({
  name: { value: webhook.name, shown: webhook.name },
  uri: { value: webhook.uri, shown: withoutQuery(webhook.uri) },
  status: { value: webhook.active, shown: webhook.active ? '1' : '0' },
  signing: { value: webhook.signing, shown: webhook.signing },
  rate_limit: { value: webhook.rateLimit ?? null, shown: webhook.rateLimit ?? null },
  payload: { value: templateText(webhook.bodyTemplate) },
  secret: { value: webhook.secret },
  token: { value: webhook.verificationCode },
});

const fieldsBeforeCreation: Fields = { signing: { value: true, shown: true } };

/**
 * The fields that changed. For a new webhook, these are the fields that have a value, except `signing` if it is on. The
 * result never contains secrets, codes, templates or the queries of URIs.
 */
export function changedFields(before: NewWebhook | null, after: NewWebhook): ChangedField[] {
  const old = before ? fieldsOf(before) : fieldsBeforeCreation;
  return Object.entries(fieldsOf(after)).flatMap(([field, { value, shown }]) => {
    const oldField = old[field] ?? { value: null };
    if (oldField.value === value) return [];
    return [shown === undefined ? { field } : { field, before: oldField.shown ?? null, after: shown }];
  });
}
