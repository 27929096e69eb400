import type { PlatformEvent } from '@ringback/callbacks';
import { type StoredEvent, storeEvents, type Database, type LeaseRequest, type Waker } from '@ringback/database';
import type { Tracer } from '@ringback/runtime';

export type IntakeDeps = {
  db: Database;
  /** Wakes the dispatchers for due deliveries that are not leased. */
  waker: Waker;
  /**
   * Present when the caller makes first attempts itself: it leases some of the new deliveries and starts their attempts.
   */
  leaser?: {
    request(): LeaseRequest;
    /** `requestedAt`: `performance.now()` before the statement ran. No lease starts earlier. */
    start(leased: StoredEvent['leased'], requestedAt: number): void;
  };
  traces?: Tracer | undefined;
};

/**
 * Stores events with their deliveries. Starts the deliveries that it leased, and wakes the dispatchers for the others. The
 * number of deliveries in a statement is limited, so a long list may need several statements. Throws when the database is
 * unavailable. Repeating the call is safe, because stored events are recognised by their idempotency keys.
 */
export async function ingestEvents(
  { db, waker, leaser, traces }: IntakeDeps,
  events: PlatformEvent[],
): Promise<StoredEvent[]> {
  const acceptances: StoredEvent[] = [];
  while (acceptances.length < events.length) {
    const startedAt = Date.now();
    const requestedAt = performance.now();
    const accepted = await storeEvents(db, events.slice(acceptances.length), leaser?.request());
    for (const { leased } of accepted) leaser?.start(leased, requestedAt);
    waker.wake(accepted.flatMap(({ due }) => due));
    if (traces) for (const acceptance of accepted) traceIngest(traces, acceptance, startedAt);
    acceptances.push(...accepted);
  }
  return acceptances;
}

function traceIngest(traces: Tracer, { eventId, state, duplicate }: StoredEvent, startedAt: number): void {
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
