import type { NewEvent } from '@ringback/callbacks';
import { type StoredEvent, storeEvents, type Database, type LeaseRequest, type Waker } from '@ringback/database';
import type { Tracer } from '@ringback/runtime';

/** What ingesting needs of its process. */
export type IntakeDeps = {
  db: Database;
  /** Wakes the dispatchers for due deliveries that are not leased. */
  waker: Waker;
  /**
   * How a worker makes the first attempts of the events that it stores. The statement that stores events then leases
   * some of the new deliveries to this worker at once, so that they need no claim. When it is absent, all new
   * deliveries wait for a claim by any worker. `apps/worker/src/dispatch/delivery-runner.ts` implements it.
   */
  firstAttempts?: {
    /** Says how many deliveries the worker can take now, and of which channels and webhooks. Called per statement. */
    createLeaseRequest(): LeaseRequest;
    /**
     * Starts the attempts of leased deliveries. `requestedAt`: `performance.now()` before the statement ran. No lease
     * starts earlier.
     */
    start(leased: StoredEvent['leased'], requestedAt: number): void;
  };
  tracer?: Tracer | undefined;
};

/**
 * Stores valid events with their deliveries: the caller has validated them with `parseEvent`. An event that names an
 * unknown account or webhook is stored as rejected. Starts the attempts of leased deliveries, and wakes the dispatchers
 * for the others.
 *
 * A statement stores a limited number of deliveries and of payload characters, so a long list may need several
 * statements. Throws if PostgreSQL is unavailable. The call may be repeated: stored events are recognised by their
 * idempotency keys. Rejected events, which have none, are then stored again.
 */
export async function ingestEvents(
  { db, waker, firstAttempts, tracer }: IntakeDeps,
  events: NewEvent[],
): Promise<StoredEvent[]> {
  const storedEvents: StoredEvent[] = [];
  while (storedEvents.length < events.length) {
    const startedAt = { wallClock: Date.now(), monotonic: performance.now() };
    // Stores only the first events if those of all exceed the limits of a statement.
    const stored = await storeEvents(db, events.slice(storedEvents.length), firstAttempts?.createLeaseRequest());
    for (const { leased } of stored) firstAttempts?.start(leased, startedAt.monotonic);
    waker.wake(stored.flatMap(({ dueWebhooks }) => dueWebhooks));
    if (tracer) for (const storedEvent of stored) traceIngest(tracer, storedEvent, startedAt.wallClock);
    storedEvents.push(...stored);
  }
  return storedEvents;
}

function traceIngest(tracer: Tracer, { eventId, state, isDuplicate }: StoredEvent, startedAt: number): void {
  tracer.record({
    eventId,
    name: 'event.ingest',
    kind: 'consumer',
    isRoot: !isDuplicate,
    startedAt,
    endedAt: Date.now(),
    failed: state === 'rejected',
    attributes: { 'ringback.event_id': eventId, 'ringback.state': state },
  });
}
