import type { Call } from './check.js';
import type { Load } from './load.js';

/**
 * The time within which workers ingest a backlog. Events that were pushed after the backlog wait for it in the queue.
 */
export const backlogIngestMs = 4_000;

/** The 99th percentile of the time from the acknowledgement of an event to its call, in ms, from `since` on. */
export function p99OfDelays(calls: readonly Call[], { acknowledged }: Load, since = -Infinity): number {
  const delays = calls.flatMap(({ message, at }) => {
    const from = acknowledged.get(message);
    return from === undefined || from < since ? [] : [Math.max(0, at - from)];
  });
  const sorted = delays.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;
}
