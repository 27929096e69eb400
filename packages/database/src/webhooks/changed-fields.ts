import type { ChangedField } from '../changes/record-change.js';
import { templateText } from './template-text.js';
import type { NewWebhook } from './webhook-row.js';

/** A field's value, and the form in which the log shows it; `shown` is absent for secrets and long values. */
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
  payload: { value: templateText(webhook.template) },
  secret: { value: webhook.secret },
  token: { value: webhook.verificationCode },
});

const fieldsBeforeCreation: Fields = { signing: { value: true, shown: true } };

/**
 * The fields that changed; for a new webhook, those that have a value, except `signing` if it is on. The log never
 * contains secrets, codes, templates or the queries of URIs.
 */
export function changedFields(before: NewWebhook | null, after: NewWebhook): ChangedField[] {
  const old = before ? fieldsOf(before) : fieldsBeforeCreation;
  return Object.entries(fieldsOf(after)).flatMap(([field, { value, shown }]) => {
    const was = old[field] ?? { value: null };
    if (was.value === value) return [];
    return [shown === undefined ? { field } : { field, before: was.shown ?? null, after: shown }];
  });
}
