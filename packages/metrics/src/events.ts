import { Counter, type Registry } from 'prom-client';

type Taken = { state: 'routed' | 'unrouted' | 'rejected' };

/** Counts the events that this process took in, by what became of them. One that was known already counts again. */
export function countEvents(registry: Registry): (events: Taken[]) => void {
  const counter = new Counter({
    name: 'ringback_events_total',
    help: 'Events taken in, repeated ones too, by what became of them.',
    labelNames: ['state'],
    registers: [registry],
  });
  for (const state of ['routed', 'unrouted', 'rejected']) counter.inc({ state }, 0);
  return (events) => {
    for (const { state } of events) counter.inc({ state });
  };
}
