import { Counter, type Registry } from 'prom-client';

/** What became of an event that a platform pushed. */
export type IngestedEvent = { state: 'routed' | 'unrouted' | 'rejected' | 'duplicate'; isConflicting: boolean };

/**
 * Registers the counters of the events that this process ingested: all by state, and the duplicates whose contents
 * differ from those of the stored event. Returns the function that counts events.
 */
export function createEventCounter(registry: Registry): (events: IngestedEvent[]) => void {
  const counter = new Counter({
    name: 'ringback_events_total',
    help: 'Events that this process ingested from platforms, by state. A duplicate is only counted as such.',
    labelNames: ['state'],
    registers: [registry],
  });
  const conflicting = new Counter({
    name: 'ringback_events_conflicting_total',
    help: 'Duplicates that have the event_id of a stored event, but other contents. They are not sent.',
    registers: [registry],
  });
  for (const state of ['routed', 'unrouted', 'rejected', 'duplicate']) counter.inc({ state }, 0);
  return (events) => {
    for (const { state, isConflicting } of events) {
      counter.inc({ state });
      if (isConflicting) conflicting.inc();
    }
  };
}
