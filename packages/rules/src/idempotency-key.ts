import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json.js';
import type { NewEvent } from './event.js';

/**
 * The key that repeated events have in common (docs/reference/events.md#duplicates): a SHA-256 in lower-case hex. It covers
 * the event name, the webhook (the account if the event names no webhook), and the platform's `event_id`. Without an
 * `event_id` it covers the whole content instead: the payload and the identity.
 */
export function idempotencyKey(event: NewEvent): string {
  // A webhook belongs to one account, so its id stands for both.
  const scope = [event.name, event.webhookId ?? event.accountId ?? '', event.webhookId];
  const hash = createHash('sha256');
  if (event.platformEventId !== null) hash.update(JSON.stringify([...scope, 'event', event.platformEventId]));
  else hash.update(JSON.stringify([...scope, 'content', event.identity])).update(canonicalJson(event.payload));
  return hash.digest('hex');
}

/** The parts of an event that may not differ when it is pushed again. */
export type EventContent = Pick<NewEvent, 'identity' | 'payload'>;

/** Whether two events with the same `event_id` are also the same in what is sent, and to whom. */
export const hasSameContent = (a: EventContent, b: EventContent): boolean =>
  a.identity === b.identity && (a.payload === b.payload || canonicalJson(a.payload) === canonicalJson(b.payload));
