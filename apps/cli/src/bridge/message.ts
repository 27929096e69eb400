import { isUtf8 } from 'node:buffer';
import { withExactPayload } from '@ringback/rules';
import type { RawEvent } from '@ringback/ledger';
import { maxDataBytes } from '@ringback/queue';

/** A message of a broker. */
export type Message = {
  body: Buffer;
  /** The event's name according to the message's type or header. */
  event?: string | undefined;
};

// Of a message that is too large, a rejected event keeps only the start.
const keptBytes = 1_000;
const maxNameLength = 255;

/**
 * Parses a message, whose body is the JSON object that `POST /events` takes. The event's name is the body's `event`,
 * else the message's `event`, else `defaultEvent`, and empty if that one is not a valid name. The payload keeps its
 * exact text.
 */
export function parseMessage({ body, event: messageEvent }: Message, defaultEvent: string | undefined): RawEvent {
  const fallback = nameOf(messageEvent || defaultEvent);
  const unreadable = (predicate: string, { name = fallback, bytes = body } = {}): RawEvent => ({
    name,
    data: bytes.toString(),
    unreadableReason: `the message ${predicate}`,
  });
  if (body.length === 0) return unreadable('is empty');
  if (body.length > maxDataBytes)
    return unreadable(`has ${body.length} bytes, and the maximum is ${maxDataBytes}`, {
      bytes: body.subarray(0, keptBytes),
    });
  if (!isUtf8(body)) return unreadable('is not UTF-8');
  const text = body.toString();
  try {
    const data = withExactPayload(JSON.parse(text), text);
    const chosenEvent = eventOf(data) ?? fallback;
    const name = nameOf(chosenEvent);
    return name === chosenEvent ? { name, data } : unreadable('has an event that is not a name', { name });
  } catch {
    return unreadable('is not JSON');
  }
}

/** The `event` of the data; undefined if it is absent or null. */
function eventOf(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('event' in data)) return undefined;
  return data.event ?? undefined;
}

/** The value when it can be a name, else an empty string. A name is logged and indexed, so it is short. */
const nameOf = (value: unknown): string => (typeof value === 'string' && value.length <= maxNameLength ? value : '');
