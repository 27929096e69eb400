import type { NewEvent } from '@ringback/callbacks';
import { type StoreResult, storeEvents, type Database, type LeaseRequest, type Waker } from '@ringback/database';
import type { Tracer } from '@ringback/runtime';

/**
 * How a worker makes the first attempts of the events that it stores. The statement that stores events then leases some
 * of the new deliveries to this worker at once, so that they need no claim.
 */
export type FirstAttemptStarter = {
  /** Says how many deliveries the worker can take now, and of which channels and webhooks. Called per statement. */
  createLeaseRequest(): LeaseRequest;
  /**
   * Starts the attempts of leased deliveries. `requestedAtMonotonicMs`: `performance.now()` before the statement ran. No lease
   * starts earlier.
   */
  start(leased: StoreResult['leased'], requestedAtMonotonicMs: number): void;
};

/** The dependencies of ingesting. */
export type IngestDeps = {
  db: Database;
  /** Wakes the dispatchers for due deliveries that are not leased. */
  waker: Waker;
  /** When it is absent, all new deliveries wait for a claim by any worker. */
  firstAttemptStarter?: FirstAttemptStarter;
  tracer?: Tracer | undefined;
};

/**
 * Stores valid events, which are validated with `parseEvent` or built by Ringback itself, with their deliveries. An
 * event that names an unknown account or webhook is stored as rejected. Starts the attempts of leased deliveries, and
 * wakes the dispatchers for the others.
 *
 * A statement stores a limited number of deliveries and of payload characters, so a long list may need several
 * statements. Throws if PostgreSQL is unavailable. The call may be repeated: stored events are recognised by their
 * idempotency keys. Rejected events, which have none, are then stored again.
 */
export async function ingestEvents(
  { db, waker, firstAttemptStarter, tracer }: IngestDeps,
  events: NewEvent[],
): Promise<StoreResult[]> {
  const results: StoreResult[] = [];
  while (results.length < events.length) {
    const startedAt = { wallClock: Date.now(), monotonic: performance.now() };
    // Stores only the first events if those of all exceed the limits of a statement.
    const stored = await storeEvents(db, events.slice(results.length), firstAttemptStarter?.createLeaseRequest());
    for (const { leased } of stored) firstAttemptStarter?.start(leased, startedAt.monotonic);
    waker.wake(stored.flatMap(({ dueWebhooks }) => dueWebhooks));
    if (tracer) for (const result of stored) traceIngest(tracer, result, startedAt.wallClock);
    results.push(...stored);
  }
  return results;
}

function traceIngest(tracer: Tracer, { eventId, state, isDuplicate }: StoreResult, startedAt: number): void {
  tracer.record({
    eventId,
    name: 'event.ingest',
    kind: 'consumer',
    isRoot: !isDuplicate,
    startedAt,
    endedAt: Date.now(),
    hasFailed: state === 'rejected',
    attributes: { 'ringback.event_id': eventId, 'ringback.state': state },
  });
}
