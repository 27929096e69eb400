import type { Call } from './check.js';
import type { Load } from './load.js';

/**
 * The time within which workers ingest a backlog. Until then, events that were pushed after the backlog may wait in the
 * queue.
 */
export const backlogIngestMs = 4_000;

/**
 * The 99th percentile of the time from the acknowledgement of an event to each of its calls, in ms. Only events that
 * were acknowledged from `since` on count.
 */
export function p99OfDelays(calls: readonly Call[], { acknowledged }: Load, since = -Infinity): number {
  const delays = calls.flatMap(({ message, at }) => {
    const acknowledgedAt = acknowledged.get(message);
    return acknowledgedAt === undefined || acknowledgedAt < since ? [] : [Math.max(0, at - acknowledgedAt)];
  });
  const sorted = delays.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;
}
