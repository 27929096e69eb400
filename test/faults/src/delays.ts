import type { Call } from './check.js';
import type { Load } from './load.js';

// What is pushed before the others' events is taken in before them: it lies in the same queue.
export const takenInMs = 4_000;

/** The 99th percentile of the time from its acknowledgement to its call, in ms, of events acknowledged after `since`. */
export function p99OfDelays(calls: readonly Call[], { acknowledged }: Load, since = -Infinity): number {
  const delays = calls.flatMap(({ message, at }) => {
    const from = acknowledged.get(message);
    return from === undefined || from < since ? [] : [Math.max(0, at - from)];
  });
  const sorted = delays.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;
}
