import type { Tracer } from '@ringback/runtime';
import type { Attempted } from '../metrics.js';

/** Notes an attempt in the trace of its event. No address and nothing of what was sent or answered. */
export function traceAttempt(traces: Tracer, attempt: Attempted): void {
  const { ids, channel, outcome, verdict, number, seconds, startedAt } = attempt;
  const result =
    outcome.type === 'response' ? { 'http.response.status_code': outcome.status } : { 'error.type': outcome.type };
  const ours = Object.entries({ ...ids, channel, verdict, attempt: number });
  traces.record({
    eventId: ids.event_id,
    name: 'delivery.attempt',
    kind: 'client',
    isRoot: false,
    startedAt: startedAt.getTime(),
    endedAt: startedAt.getTime() + seconds * 1_000,
    failed: verdict !== 'delivered',
    attributes: { ...Object.fromEntries(ours.map(([name, value]) => [`ringback.${name}`, value])), ...result },
  });
}
