import { parseEvent, type PlatformEvent } from '@ringback/callbacks';
import {
  type StoredEvent,
  type Database,
  findEvent,
  storeRetriedEvent,
  isUnstorable,
  rejectEvent,
} from '@ringback/database';
import { errorFields, type Logger } from '@ringback/runtime';
import type { IntakeDeps } from './ingest-events.js';

export type IngestResult = { eventId: string; state: StoredEvent['state']; reason: string | null };

/** `ingest` stores one event; callers usually combine concurrent calls into one call of `ingestEvents`. */
export type RawEventDeps = {
  db: Database;
  log: Pick<Logger, 'error'>;
  ingest(event: PlatformEvent): Promise<StoredEvent>;
};

/**
 * Ingests one event as a platform pushed it: `eventType` is the job's name, `data` is `{account_id, webhook_id, identity,
 * event_id, payload}`. Data that is not a valid event, or that PostgreSQL cannot store, is stored as a rejected event with
 * the reason.
 */
export async function ingestRawEvent(
  { db, log, ingest }: RawEventDeps,
  eventType: string,
  data: unknown,
): Promise<IngestResult> {
  const parsed = parseEvent(withEventType(eventType, data));
  if (!parsed.ok) return rejectRawEvent(db, { eventType, data, reason: parsed.reason });
  try {
    return await ingest(parsed.event);
  } catch (error) {
    if (!isUnstorable(error)) throw error;
    log.error('event.unstorable', { event: eventType, ...errorFields(error) });
    return rejectRawEvent(db, { eventType, data, reason: 'it contains text that PostgreSQL cannot store' });
  }
}

/** Stores any data as a rejected event, so that an operator can list and retry it. */
export async function rejectRawEvent(
  db: Database,
  { eventType, data, reason }: { eventType: string; data: unknown; reason: string },
): Promise<IngestResult> {
  const rawEvent = toJsonText(withEventType(eventType, data));
  const eventId = await rejectEvent(db, { name: eventType, envelope: rawEvent, reason });
  return { eventId, state: 'rejected', reason };
}

const withEventType = (eventType: string, data: unknown) => (isRecord(data) ? { ...data, event: eventType } : data);

/**
 * Ingests a rejected event again. An event that is still invalid stays rejected; the result then says why. Returns null
 * when no rejected event has this id.
 */
export async function retryRejectedEvent(deps: IntakeDeps, id: string): Promise<IngestResult | null> {
  const event = await findEvent(deps.db, id);
  if (event?.state !== 'rejected' || event.envelope === null) return null;
  const parsed = parseEvent(parseJsonOrText(event.envelope));
  if (!parsed.ok) return { eventId: id, state: 'rejected', reason: parsed.reason };
  const acceptance = await storeRetriedEvent(deps.db, id, parsed.event);
  if (acceptance) deps.waker.wake(acceptance.due);
  return acceptance;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The JSON text of a value. A value that JSON.stringify cannot write, such as a very deeply nested one, is only
 * described.
 */
function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `"${typeof value} that is nested too deeply to keep"`;
  }
}
