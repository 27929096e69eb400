import type { Logger, Tracer } from '@ringback/process';
import type { NewEvent } from '@ringback/rules';
import type { Database } from '../connection/database.js';
import type { Waker } from '../deliveries/wake-ups.js';
import { storeEvents, type StoreResult } from './store-events.js';

/** The dependencies of ingesting. */
export type IngestDeps = {
  db: Database;
  /** Wakes the dispatchers of the workers for the new deliveries. */
  waker: Waker;
  tracer?: Tracer | undefined;
};

/**
 * Stores valid events, which were validated with `parseEvent` or built by Ringback itself, with their deliveries. An
 * event that names an unknown account or webhook, or another account's webhook, is stored as rejected. All
 * deliveries wait for a claim by a worker; a worker itself uses `storeEvents`, which can lease some to it. Returns what
 * became of each event, in order.
 *
 * A statement stores a limited number of deliveries and of payload characters, so a long list may need several
 * statements. If one fails, for example because PostgreSQL is unavailable, the function throws, and the events of the
 * earlier statements stay stored. The call may be repeated: stored events are recognised by their idempotency keys.
 * Rejected events have no key, so they are then stored again.
 */
export async function ingestEvents({ db, waker, tracer }: IngestDeps, events: NewEvent[]): Promise<StoreResult[]> {
  const results: StoreResult[] = [];
  while (results.length < events.length) {
    const startedAt = Date.now();
    // Stores only the first of the events if all together exceed the limits of a statement.
    const stored = await storeEvents(db, events.slice(results.length));
    waker.wake(stored.flatMap(({ due }) => due));
    traceIngested(tracer, stored, startedAt);
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

/** Records a span for each event that was stored. `startedAt`: the time before its statement, in Unix ms. */
export function traceIngested(tracer: Tracer | undefined, stored: StoreResult[], startedAt: number): void {
  for (const { eventId, state } of stored)
    tracer?.record({
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
