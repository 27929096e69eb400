import { isUtf8 } from 'node:buffer';
import { withExactPayload } from '@ringback/callbacks';

/** A message of a broker. */
export type Message = {
  body: Buffer;
  /** The event that the message's type or header names. */
  event?: string | undefined;
};

/** What a message holds: the data of an event, or text that is none, with the reason. */
export type ReadMessage = { event: string; data: unknown; problem?: string };

/** The same limit as for the data of a BullMQ job. */
const maxBytes = 16 * 1024 * 1024;
const keptBytes = 1_000;

/**
 * Reads a message: the JSON object that `POST /events` takes. The event's name is the object's `event`, else that of the
 * message, else `defaultEvent`. The payload keeps its exact text.
 */
export function readMessage({ body, event: named }: Message, defaultEvent: string | undefined): ReadMessage {
  const fallback = named ?? defaultEvent ?? '';
  const unreadable = (problem: string, bytes = body): ReadMessage => ({
    event: fallback,
    data: bytes.toString(),
    problem: `the message ${problem}`,
  });
  if (body.length > maxBytes)
    return unreadable(`has ${body.length} bytes, and at most ${maxBytes} are taken`, body.subarray(0, keptBytes));
  if (!isUtf8(body)) return unreadable('is not UTF-8');
  const text = body.toString();
  try {
    const data = withExactPayload(JSON.parse(text), text);
    return { event: eventOf(data) ?? fallback, data };
  } catch {
    return unreadable('is not JSON');
  }
}

/** The name in the data, as text; undefined when there is none. */
function eventOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('event' in data)) return undefined;
  const { event } = data;
  if (event === undefined || event === null) return undefined;
  return typeof event === 'string' ? event : JSON.stringify(event);
}
