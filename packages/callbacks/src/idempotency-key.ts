import { createHash } from 'node:crypto';
import type { PlatformEvent } from './event.js';
import { parseJson } from './parse-json.js';

/**
 * The key that identifies repeated events (behaviour: idempotency), as SHA-256 in lower-case hex. It covers the event name,
 * the account, the webhook when one is given, and the platform's `event_id`. An event without `event_id` is identified by
 * the message's id, and status events also by the status.
 */
export function idempotencyKey(event: PlatformEvent, accountId: string): string {
  const own = event.eventId === null ? ['message', event.messageId, ...statusOf(event)] : ['event', event.eventId];
  const parts = [event.event, accountId, event.webhookId, ...own];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function statusOf({ event, payload }: PlatformEvent): unknown[] {
  if (event === 'rcs:message:in') return [];
  const value = parseJson(payload);
  const status: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'status') : undefined;
  return [status ?? null];
}
