import type { Tracer } from '@ringback/runtime';
import type { AttemptSummary } from '../metrics.js';

/** Records an attempt as a span in its event's trace, without urls, addresses, bodies or headers. */
export function traceAttempt(traces: Tracer, attempt: AttemptSummary): void {
  const { ids, channel, outcome, verdict, number, seconds, startedAt } = attempt;
  const result =
    outcome.type === 'response' ? { 'http.response.status_code': outcome.status } : { 'error.type': outcome.type };
  const fields = Object.entries({ ...ids, channel, verdict, attempt: number });
  traces.record({
    eventId: ids.event_id,
    name: 'delivery.attempt',
    kind: 'client',
    isRoot: false,
    startedAt: startedAt.getTime(),
    endedAt: startedAt.getTime() + seconds * 1_000,
    failed: verdict !== 'delivered',
    attributes: { ...Object.fromEntries(fields.map(([name, value]) => [`ringback.${name}`, value])), ...result },
  });
}
