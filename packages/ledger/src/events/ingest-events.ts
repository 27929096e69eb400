import type { Logger, Tracer } from '@ringback/process';
import type { NewEvent } from '@ringback/rules';
import type { Database } from '../connection/database.js';
import type { Waker } from '../deliveries/wake-ups.js';
import { type LeaseRequest, storeEvents, type StoreResult } from './store-events.js';

/**
 * How a worker makes first attempts of the events that it stores. The statement that stores the events also leases some
 * of the new deliveries to this worker, so that these need no claim.
 */
export type DirectLeasing = {
  /**
   * Says how many deliveries the worker can take now, and of which channels and webhooks. Called for each statement.
   */
  createLeaseRequest(): LeaseRequest;
  /**
   * Starts the attempts of leased deliveries. `requestedAtMonotonicMs` is `performance.now()` before the statement ran;
   * no lease starts earlier.
   */
  start(leased: StoreResult['leased'], requestedAtMonotonicMs: number): void;
};

/** The dependencies of ingesting. */
export type IngestDeps = {
  db: Database;
  /** Wakes the dispatchers of the workers for new deliveries that are not leased. */
  waker: Waker;
  /** Without it, all new deliveries wait for a claim by any worker. */
  directLeasing?: DirectLeasing;
  tracer?: Tracer | undefined;
};

/**
 * Stores valid events, which were validated with `parseEvent` or built by Ringback itself, with their deliveries. An
 * event that names an unknown account or webhook, or another account's webhook, is stored as rejected. Starts the
 * attempts of leased deliveries, and wakes the dispatchers for the others. Returns what became of each event, in order.
 *
 * A statement stores a limited number of deliveries and of payload characters, so a long list may need several
 * statements. If one fails, for example because PostgreSQL is unavailable, the function throws, and the events of the
 * earlier statements stay stored. The call may be repeated: stored events are recognised by their idempotency keys.
 * Rejected events have no key, so they are then stored again.
 */
export async function ingestEvents(
  { db, waker, directLeasing, tracer }: IngestDeps,
  events: NewEvent[],
): Promise<StoreResult[]> {
  const results: StoreResult[] = [];
  while (results.length < events.length) {
    const startedAt = { wallClock: Date.now(), monotonic: performance.now() };
    // Stores only the first of the events if all together exceed the limits of a statement.
    const stored = await storeEvents(db, events.slice(results.length), directLeasing?.createLeaseRequest());
    for (const { leased } of stored) directLeasing?.start(leased, startedAt.monotonic);
    waker.wake(stored.flatMap(({ dueWebhooks }) => dueWebhooks));
    if (tracer) for (const result of stored) traceIngest(tracer, result, startedAt.wallClock);
    results.push(...stored);
  }
  return results;
}

/** What became of an event, without its deliveries. `reason`: why the event is rejected; null if it is not. */
export type IngestResult = Pick<StoreResult, 'eventId' | 'state' | 'reason' | 'isConflicting'>;

/**
 * Logs what became of an event. A duplicate with other contents is also a warning: the platform uses one `event_id` for
 * different events, and only the first of them is sent.
 */
export function logIngested(
  log: Pick<Logger, 'info' | 'warn'>,
  name: string,
  { eventId, state, reason, isConflicting }: IngestResult,
): void {
  const fields = { event_id: eventId, event: name };
  log.info('event.ingested', { ...fields, state, ...(reason === null ? {} : { reason }) });
  if (isConflicting)
    log.warn('event.conflicting', { ...fields, reason: 'its event_id is that of an event with other contents' });
}

function traceIngest(tracer: Tracer, { eventId, state }: StoreResult, startedAt: number): void {
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
