import { errorFields, type Logger } from '@ringback/process';
import { type NewEvent, parseEvent } from '@ringback/rules';
import { createBatcher, defaultBatchSize } from '../connection/batch.js';
import { isUnstorableTextError, type RetryWhileUnavailable } from '../connection/database-errors.js';
import type { Database } from '../connection/database.js';
import { findEvent, rejectEvent } from './events.js';
import { type IngestDeps, type IngestResult, logIngested } from './ingest-events.js';
import { type StoreResult, storeRetriedEvent } from './store-events.js';

/**
 * An event as a platform pushed it, not validated yet. `data` should be `{account_id, webhook_id, identity, event_id,
 * payload}`.
 */
export type RawEvent = {
  name: string;
  data: unknown;
  /** Why the pushed data could not be read; absent if it could. `data` is then the raw text, or its start. */
  unreadableReason?: string;
};

/** The dependencies of ingesting raw events. */
export type RawEventDeps = {
  db: Database;
  log: Pick<Logger, 'error' | 'info' | 'warn'>;
  retryWhileUnavailable: RetryWhileUnavailable;
  /** Stores a batch of events: `ingestEvents`, or what a worker does in its place. */
  ingestBatch(events: NewEvent[]): Promise<StoreResult[]>;
  /** Called for each ingested event, duplicates included. */
  countEvent(event: Pick<IngestResult, 'state' | 'isConflicting'>): void;
};

/**
 * Creates a function that validates one raw event with `parseEvent` and stores it. Valid events that are ingested at
 * the same time share a batch. Data that could not be read, that is not a valid event, or that PostgreSQL cannot store,
 * is stored as a rejected event with the reason. The function retries while PostgreSQL is unavailable, then counts the
 * event and logs its state.
 */
export function createRawEventIngester(deps: RawEventDeps): (rawEvent: RawEvent) => Promise<void> {
  const { log, retryWhileUnavailable, ingestBatch, countEvent } = deps;
  const ingestOrRejectDeps = { ...deps, ingest: createBatcher(ingestBatch, { maxSize: defaultBatchSize }) };
  return async (rawEvent) => {
    const result = await retryWhileUnavailable(() => ingestOrReject(ingestOrRejectDeps, rawEvent));
    countEvent(result);
    logIngested(log, rawEvent.name, result);
  };
}

type IngestOrRejectDeps = Pick<RawEventDeps, 'db' | 'log'> & { ingest(event: NewEvent): Promise<StoreResult> };

async function ingestOrReject({ db, log, ingest }: IngestOrRejectDeps, rawEvent: RawEvent): Promise<IngestResult> {
  const { name, data, unreadableReason } = rawEvent;
  if (unreadableReason !== undefined) return rejectRawEvent(db, rawEvent, unreadableReason);
  const parsed = parseEvent(withEventName(name, data));
  if (!parsed.ok) return rejectRawEvent(db, rawEvent, parsed.reason);
  try {
    return await ingest(parsed.event);
  } catch (error) {
    if (!isUnstorableTextError(error)) throw error;
    log.error('event.unstorable', { event: name, ...errorFields(error) });
    return rejectRawEvent(db, rawEvent, 'it contains text that PostgreSQL cannot store');
  }
}

/** Stores any data as a rejected event, so that an operator can list and retry it. */
export async function rejectRawEvent(db: Database, { name, data }: RawEvent, reason: string): Promise<IngestResult> {
  const eventId = await rejectEvent(db, { name, envelope: toJsonText(withEventName(name, data)), reason });
  return { eventId, state: 'rejected', reason, isConflicting: false };
}

const withEventName = (name: string, data: unknown) => (isRecord(data) ? { ...data, event: name } : data);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The JSON text of a value, or `undefined` if it has none. If the value is nested too deeply, the text only says so.
 */
function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `"${typeof value} that is nested too deeply to keep"`;
  }
}

/**
 * Validates a rejected event again. If it is now valid, stores it under its id with its deliveries, and wakes the
 * dispatchers. If it is still invalid, names an unknown account or webhook, or repeats a stored event, it stays
 * rejected, and the result says why. Returns null if no rejected event has this id.
 */
export async function retryRejectedEvent(
  { db, waker }: Pick<IngestDeps, 'db' | 'waker'>,
  id: string,
): Promise<IngestResult | null> {
  const event = await findEvent(db, id);
  if (event?.state !== 'rejected' || event.envelope === null) return null;
  const parsed = parseEvent(parseJsonOrText(event.envelope));
  if (!parsed.ok) return { eventId: id, state: 'rejected', reason: parsed.reason, isConflicting: false };
  const result = await storeRetriedEvent(db, id, parsed.event);
  if (result) waker.wake(result.due);
  return result;
}

/** The value of a JSON text, or any other text itself. */
function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
