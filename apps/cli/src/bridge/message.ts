import { isUtf8 } from 'node:buffer';
import { type Database, findAccountIds, type RawEvent } from '@ringback/ledger';
import { maxDataBytes } from '@ringback/queue';
import { parseExactJson, withExactPayload } from '@ringback/rules';
import { mapMessage, type MessageMap, unknownAccountReason } from './message-map.js';

/** A message of a broker. */
export type Message = {
  body: Buffer;
  /** The event's name according to the message's type or header. */
  event?: string | undefined;
};

/** How a message is read: with a map, or without one as the JSON object that `POST /events` takes. */
export type MessageForm = {
  /** The event of messages that name none. */
  defaultEvent?: string | undefined;
  map?: MessageMap | undefined;
};

/** Finds the id of the account with an `external_id`; null when there is none. */
type FindAccountId = (externalId: string) => Promise<string | null>;

/** Finds the id of one account. A bridge combines the searches of many messages. */
export async function findAccountId(db: Database, externalId: string): Promise<string | null> {
  const [id = null] = await findAccountIds(db, [externalId]);
  return id;
}

/** Reads a message again that became a rejected event. The map reads only a message that it did not read before. */
export async function readKeptMessage(
  db: Database,
  { data, name, map }: { data: unknown; name: string; map: MessageMap },
): Promise<RawEvent> {
  if (typeof data !== 'string') return { name, data };
  const form = { defaultEvent: name, map };
  return readMessage({ body: Buffer.from(data) }, form, (externalId) => findAccountId(db, externalId));
}

// Of a message that is too large, a rejected event keeps only the start.
const keptBytes = 1_000;
const maxNameLength = 255;

/**
 * Reads a message. The event's name is the one in the body, else the message's `event`, else `defaultEvent`, and empty
 * if that one is not a valid name. The payload keeps its exact text. Rejects only if `findAccount` does.
 */
export async function readMessage(
  { body, event: messageEvent }: Message,
  { defaultEvent, map }: MessageForm,
  findAccount: FindAccountId,
): Promise<RawEvent> {
  const fallback = nameOf(messageEvent || defaultEvent);
  if (body.length === 0) return unreadable(fallback, '', 'the message is empty');
  if (body.length > maxDataBytes) {
    const reason = `the message has ${body.length} bytes, and the maximum is ${maxDataBytes}`;
    return unreadable(fallback, body.subarray(0, keptBytes).toString(), reason);
  }
  const text = body.toString();
  if (!isUtf8(body)) return unreadable(fallback, text, 'the message is not UTF-8');
  return map === undefined ? readEvent(text, fallback) : readMapped(text, fallback, { map, findAccount });
}

const unreadable = (name: string, data: string, reason: string): RawEvent => ({ name, data, unreadableReason: reason });
const notJson = 'the message is not JSON';

function readEvent(text: string, fallback: string): RawEvent {
  const value = parse(text, JSON.parse);
  if (value === undefined) return unreadable(fallback, text, notJson);
  const data = withExactPayload(value, text);
  const chosenEvent = eventOf(data) ?? fallback;
  const name = nameOf(chosenEvent);
  return name === chosenEvent ? { name, data } : unreadable(name, text, 'the message has an event that is not a name');
}

/** A message that the map cannot read is kept as it is, so that a corrected map can read it. */
async function readMapped(
  text: string,
  fallback: string,
  { map, findAccount }: { map: MessageMap; findAccount: FindAccountId },
): Promise<RawEvent> {
  const value = parse(text, parseExactJson);
  if (value === undefined) return unreadable(fallback, text, notJson);
  const mapped = mapMessage(map, value, text);
  const name = mapped.event === undefined ? fallback : nameOf(mapped.event);
  if (!mapped.ok) return unreadable(name, text, mapped.reason);
  const { externalId, data } = mapped;
  if (externalId === undefined) return { name, data };
  const accountId = await findAccount(externalId);
  if (accountId === null) return unreadable(name, text, unknownAccountReason(map));
  return { name, data: { ...data, account_id: accountId } };
}

/** The value of a JSON text; undefined if it is not JSON. */
function parse<Value>(text: string, parseText: (text: string) => Value): Value | undefined {
  try {
    return parseText(text);
  } catch {
    return undefined;
  }
}

/** The `event` of the data; undefined if it is absent or null. */
function eventOf(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('event' in data)) return undefined;
  return data.event ?? undefined;
}

/** The value when it can be a name, else an empty string. A name is logged and indexed, so it is short. */
const nameOf = (value: unknown): string => (typeof value === 'string' && value.length <= maxNameLength ? value : '');
