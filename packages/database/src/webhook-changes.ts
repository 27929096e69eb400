import type { ChangedField } from './changes.js';
import { templateText } from './template-text.js';
import type { NewWebhook } from './webhooks.js';

/** `shown` is what the log may have of a value; a field without it has secrets, or what is too long for a line. */
type Fact = { is: unknown; shown?: string | number | boolean | null };
type Facts = Record<string, Fact>;

// A query may hold a key of the receiver's.
const withoutQuery = (uri: string) => uri.replace(/\?[^]*$/, '');

/** By the names that the fields have in a request. */
const factsOf = (webhook: NewWebhook): Facts => ({
  name: { is: webhook.name, shown: webhook.name },
  uri: { is: webhook.uri, shown: withoutQuery(webhook.uri) },
  status: { is: webhook.active, shown: webhook.active ? '1' : '0' },
  signing: { is: webhook.signing, shown: webhook.signing },
  rate_limit: { is: webhook.rateLimit ?? null, shown: webhook.rateLimit ?? null },
  payload: { is: templateText(webhook.payload) },
  secret: { is: webhook.secret },
  token: { is: webhook.verificationCode },
});

const nothing: Facts = { signing: { is: true, shown: true } };

/**
 * The fields in which a webhook differs from what it was, or, new, from one without anything. The log never has secrets,
 * codes, templates and queries of uris.
 */
export function changedFields(before: NewWebhook | null, after: NewWebhook): ChangedField[] {
  const old = before ? factsOf(before) : nothing;
  return Object.entries(factsOf(after)).flatMap(([field, { is, shown }]) => {
    const was = old[field] ?? { is: null };
    if (was.is === is) return [];
    return [shown === undefined ? { field } : { field, before: was.shown ?? null, after: shown }];
  });
}
