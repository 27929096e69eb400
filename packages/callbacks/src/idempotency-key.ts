import { createHash } from 'node:crypto';
import type { NewEvent } from './event.js';
import { parseJson } from './parse-json.js';

/**
 * The key that repeated events have in common (docs/behaviour.md: idempotency): a SHA-256 in lower-case hex. It covers
 * the event name, the webhook (the account if the event names no webhook), and the platform's `event_id`. Without an
 * `event_id` it covers the message's id instead and, except for inbound messages, the status.
 */
export function idempotencyKey(event: NewEvent): string {
  // A webhook belongs to one account, so its id stands for both.
  const scopeId = event.webhookId ?? event.accountId ?? '';
  const idParts =
    event.platformEventId === null
      ? ['message', event.messageId, ...statusOf(event)]
      : ['event', event.platformEventId];
  const parts = [event.name, scopeId, event.webhookId, ...idParts];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function statusOf({ name, payload }: NewEvent): unknown[] {
  if (name === 'rcs:message:in') return [];
  const value = parseJson(payload);
  const status: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'status') : undefined;
  return [status ?? null];
}
