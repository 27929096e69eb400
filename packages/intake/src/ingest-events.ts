import type { PlatformEvent } from '@ringback/callbacks';
import { type Acceptance, acceptEvents, type Database, type LeaseRequest, type Waker } from '@ringback/database';
import type { Tracer } from '@ringback/runtime';

export type IntakeDeps = {
  db: Database;
  /** Wakes the dispatchers for due deliveries that are not leased. */
  waker: Waker;
  /**
   * Present when the caller makes first attempts itself: the statement then leases some of the new deliveries to it.
   */
  leaseOnStore?: {
    createLeaseRequest(): LeaseRequest;
    /**
     * Starts the attempts of leased deliveries. `requestedAt`: `performance.now()` before the statement ran. No lease
     * starts earlier.
     */
    start(leased: Acceptance['leased'], requestedAt: number): void;
  };
  traces?: Tracer | undefined;
};

/**
 * Stores events with their deliveries. Starts the attempts of leased deliveries, and wakes the dispatchers for the others. The
 * number of deliveries in a statement is limited, so a long list may need several statements. Throws when the database is
 * unavailable. Repeating the call is safe, because stored events are recognised by their idempotency keys.
 */
export async function ingestEvents(
  { db, waker, leaseOnStore, traces }: IntakeDeps,
  events: PlatformEvent[],
): Promise<Acceptance[]> {
  const acceptances: Acceptance[] = [];
  while (acceptances.length < events.length) {
    const startedAt = Date.now();
    const requestedAt = performance.now();
    const accepted = await acceptEvents(db, events.slice(acceptances.length), leaseOnStore?.createLeaseRequest());
    for (const { leased } of accepted) leaseOnStore?.start(leased, requestedAt);
    waker.wake(accepted.flatMap(({ due }) => due));
    if (traces) for (const acceptance of accepted) traceIngest(traces, acceptance, startedAt);
    acceptances.push(...accepted);
  }
  return acceptances;
}

function traceIngest(traces: Tracer, { eventId, state, duplicate }: Acceptance, startedAt: number): void {
  traces.record({
    eventId,
    name: 'event.ingest',
    kind: 'consumer',
    isRoot: !duplicate,
    startedAt,
    endedAt: Date.now(),
    failed: state === 'rejected',
    attributes: { 'ringback.event_id': eventId, 'ringback.state': state },
  });
}
