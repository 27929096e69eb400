import { errorFields, type Logger, type Tracer } from '@ringback/process';
import { type NewEvent, parseEvent } from '@ringback/rules';
import { isUnstorableTextError } from '../connection/database-errors.js';
import type { Database } from '../connection/database.js';
import type { DeliveryTask } from '../deliveries/delivery-tasks.js';
import { countDuplicates } from './event-keys.js';
import { findEvent, rejectEvent } from './events.js';
import { type LeaseRequest, storeEvents, type StoreResult, storeRetriedEvent } from './store-events.js';

export type IngestDeps = {
  db: Database;
  tracer?: Tracer | undefined;
  log?: Pick<Logger, 'warn'>;
};

/** What a worker may lease of new events, and how it starts the attempts of what was leased. */
export type Leasing = { request: LeaseRequest; start(leased: DeliveryTask[]): void };

/**
 * Stores valid events with their deliveries. One that names an unknown account or webhook, or another account's
 * webhook, is stored as rejected. A worker passes `leasing` and makes the first attempts of what is leased to it;
 * all else waits for a claim.
 *
 * Returns what became of each event, in order: at least of the first, and fewer results than events if one statement
 * could not store all. The call may be repeated: stored events are recognised by their keys, but rejected ones, which
 * have none, are then stored again.
 */
export async function ingestBatch(deps: IngestDeps, events: NewEvent[], leasing?: Leasing): Promise<StoreResult[]> {
  const { db, tracer } = deps;
  const startedAt = Date.now();
  const stored = await storeEvents(db, events, leasing?.request);
  for (const { leased } of stored) leasing?.start(leased);
  if (tracer) traceIngested(tracer, stored, startedAt);
  await countRepeats(deps, stored);
  return stored;
}

/** An error here only leaves the duplicates uncounted: if it were thrown, the stored events would be ingested again. */
async function countRepeats({ db, log }: IngestDeps, stored: StoreResult[]): Promise<void> {
  const ids = stored.filter(({ state }) => state === 'duplicate').map(({ eventId }) => eventId);
  if (ids.length === 0) return;
  await countDuplicates(db.pool, ids).catch((error: unknown) =>
    log?.warn('event.duplicates_uncounted', { count: ids.length, ...errorFields(error) }),
  );
}

/**
 * Ingests all events of a list, in as many batches as they need. If one fails, the function throws, and the events of
 * the earlier ones stay stored.
 */
export async function ingestEvents(deps: IngestDeps, events: NewEvent[]): Promise<StoreResult[]> {
  const results: StoreResult[] = [];
  while (results.length < events.length) results.push(...(await ingestBatch(deps, events.slice(results.length))));
  return results;
}

/** What became of an event, without its deliveries. `reason`: why the event is rejected; null if it is not. */
export type IngestResult = Pick<StoreResult, 'eventId' | 'state' | 'reason' | 'isConflicting'>;

/** What counts the events that a process ingests. */
export type EventCounts = {
  byState: { inc(labels: Pick<IngestResult, 'state'>): void };
  conflicting: { inc(): void };
};

/**
 * Counts an event, and logs what became of it. A duplicate with other contents is also a warning: the platform uses one
 * `event_id` for different events, and only the first of them is sent.
 */
export function reportIngested(
  { log, events }: { log: Pick<Logger, 'info' | 'warn'>; events: EventCounts },
  name: string,
  { eventId, state, reason, isConflicting }: IngestResult,
): void {
  events.byState.inc({ state });
  const fields = { event_id: eventId, event: name };
  log.info('event.ingested', { ...fields, state, ...(reason === null ? {} : { reason }) });
  if (!isConflicting) return;
  events.conflicting.inc();
  log.warn('event.conflicting', { ...fields, reason: 'its event_id is that of an event with other contents' });
}

/** Records a span for each event that was stored. `startedAt`: the time before its statement, in Unix ms. */
function traceIngested(tracer: Tracer, stored: StoreResult[], startedAt: number): void {
  for (const { eventId, state } of stored)
    tracer.record({
      eventId,
      name: 'event.ingest',
      kind: 'consumer',
      isRoot: state !== 'duplicate',
      startedAt,
      endedAt: Date.now(),
      hasFailed: state === 'rejected',
      attributes: { 'ringback.event_id': eventId, 'ringback.state': state },
    });
}

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

/** Validates a raw event. If it is not a valid event, the reason says why. */
export function parseRawEvent({
  name,
  data,
  unreadableReason,
}: RawEvent): { ok: true; event: NewEvent } | { ok: false; reason: string } {
  if (unreadableReason !== undefined) return { ok: false, reason: unreadableReason };
  return parseEvent(withEventName(name, data));
}

/** Stores any data as a rejected event, so that an operator can list and retry it. */
export async function rejectRawEvent(db: Database, { name, data }: RawEvent, reason: string): Promise<IngestResult> {
  const eventId = await rejectEvent(db, { name, envelope: toJsonText(withEventName(name, data)), reason });
  return { eventId, state: 'rejected', reason, isConflicting: false };
}

/** Stores a raw event as rejected after PostgreSQL could not store its text. Throws any other error. */
export async function rejectUnstorable(
  { db, log }: { db: Database; log: Pick<Logger, 'error'> },
  rawEvent: RawEvent,
  error: unknown,
): Promise<IngestResult> {
  if (!isUnstorableTextError(error)) throw error;
  log.error('event.unstorable', { event: rawEvent.name, ...errorFields(error) });
  return rejectRawEvent(db, rawEvent, 'it contains text that PostgreSQL cannot store');
}

const withEventName = (name: string, data: unknown) => (isRecord(data) ? { ...data, event: name } : data);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The JSON text of a value; for a value that has none, such as a function, its text in JavaScript. If the value is
 * nested too deeply, the text only says so.
 */
function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return `"${typeof value} that is nested too deeply to keep"`;
  }
}

/** Reads what a rejected event kept: the pushed data, which is a text if it could not be read. */
type ReadKept = (data: unknown, name: string) => Promise<RawEvent>;

/**
 * Validates a rejected event again. If it is valid by now, it is replaced by a new event with deliveries, whose id is
 * in the result, and the dispatchers are woken. If it is still invalid, names an unknown account or webhook, or repeats
 * a stored event, it stays rejected, and the result says why. Returns null if no rejected event has this id.
 */
export async function retryRejectedEvent(db: Database, id: string, readKept?: ReadKept): Promise<IngestResult | null> {
  const event = await findEvent(db, id);
  if (event?.state !== 'rejected' || event.envelope === null) return null;
  const data = parseJsonOrText(event.envelope);
  const parsed = readKept ? parseRawEvent(await readKept(data, event.name ?? '')) : parseEvent(data);
  if (!parsed.ok) return { eventId: id, state: 'rejected', reason: parsed.reason, isConflicting: false };
  return storeRetriedEvent(db, id, parsed.event);
}

/** The value of a JSON text, or any other text itself. */
function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
