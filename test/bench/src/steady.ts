import { awaitArrival, deviations } from './arrival.js';
import { now } from './clock.js';
import { pushSteadily, type Pushed, type Target } from './load.js';
import type { Row } from './result.js';
import { watchTransactions } from './sizes.js';
import type { Stack } from './stack.js';
import { describeLatency } from './statistics.js';

export type Load = {
  target: Target;
  perSecond: number;
  seconds: number;
  /** Whether to stop before the time is over. */
  until?: () => boolean;
  /** Whether a pushed event is part of the figures. The others may arrive or not. */
  isWanted?: (key: string, dueAt: number) => boolean;
  /** Whether a message that was not pushed may arrive. */
  isKnown?: (key: string) => boolean;
  onArrival?: () => void;
  /** Whether to wait at the end until no delivery is due; by default true. */
  settle?: boolean;
};

/**
 * Pushes a steady stream and measures the latencies from the due time of each event to its first byte at the receiver.
 * `generator lag p99 ms` is part of the latencies, and not caused by Ringback. `bench % of a core` is the CPU time of
 * the generator and the receiver. `throughputRatio` is the rate at which the wanted events arrived, divided by the rate
 * at which they were due.
 */
export async function measureStream(
  stack: Stack,
  load: Load,
): Promise<{ row: Row; p99: number; throughputRatio: number }> {
  const { isWanted = () => true, isKnown = () => false, settle = true } = load;
  stack.receiver.reset();
  const countTransactions = await watchTransactions(stack);
  const before = stack.usage();
  const startedAt = now();
  const { pushed, generatorLag } = await pushSteadily(load.target, load);
  const ms = now() - startedAt;
  const after = stack.usage();
  const wanted: Pushed = new Map([...pushed].filter(([key, dueAt]) => isWanted(key, dueAt)));
  const arrived = await awaitArrival(stack, wanted, {
    settle,
    isKnown: (key) => pushed.has(key) || isKnown(key),
    ...(load.onArrival ? { onArrival: load.onArrival } : {}),
  });
  const committed = await countTransactions();
  const { p50, p95, p99, max } = describeLatency(arrived.latencies);
  const coreShare = (part: 'own' | 'receiver') => (after[part].cpuUs - before[part].cpuUs) / (ms * 10);
  const row = {
    'events/s': (pushed.size / ms) * 1_000,
    'p50 ms': p50,
    'p95 ms': p95,
    'p99 ms': p99,
    'max ms': max,
    'generator lag p99 ms': generatorLag.p99,
    'bench % of a core': coreShare('own') + coreShare('receiver'),
    'transactions each': committed / pushed.size,
    ...deviations(arrived),
  };
  const due = [...wanted.values()];
  const dueMs = (due.at(-1) ?? 0) - (due[0] ?? 0);
  const throughputRatio =
    (arrived.latencies.length / (arrived.lastAtMonotonicMs - arrived.firstAtMonotonicMs)) * (dueMs / wanted.size);
  return { row, p99, throughputRatio };
}
