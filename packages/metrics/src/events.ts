import { Counter, type Registry } from 'prom-client';

type IngestedEvent = { state: 'routed' | 'unrouted' | 'rejected' };

/**
 * Registers the counter of the events that this process ingested, by state, duplicates included. Returns the function
 * that counts events.
 */
export function createEventCounter(registry: Registry): (events: IngestedEvent[]) => void {
  const counter = new Counter({
    name: 'ringback_events_total',
    help: 'Events that this process ingested from platforms, duplicates included, by state.',
    labelNames: ['state'],
    registers: [registry],
  });
  for (const state of ['routed', 'unrouted', 'rejected']) counter.inc({ state }, 0);
  return (events) => {
    for (const { state } of events) counter.inc({ state });
  };
}
