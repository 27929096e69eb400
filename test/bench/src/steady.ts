import { awaitArrival, exactness } from './arrival.js';
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
  /** An end before the time is up. */
  until?: () => boolean;
  /** Whether it is one of those that are looked at; the others may come or not. */
  isWanted?: (key: string, dueAt: number) => boolean;
  /** What may come beside the stream. */
  isKnown?: (key: string) => boolean;
  onArrival?: () => void;
  /** False leaves what else is due alone at the end. */
  settle?: boolean;
};

/**
 * A steady stream: latencies from when each event was due to its first byte at the receiver. `late p99 ms` is how far
 * the generator was behind, and `bench % of a core` what generator and receiver took: both are part of
 * what is measured, and none of Ringback's. `kept` is the rate at which what is wanted came, as a share of that at which it
 * was due.
 */
export async function measureStream(stack: Stack, load: Load): Promise<{ row: Row; p99: number; kept: number }> {
  const { isWanted = () => true, isKnown = () => false, settle = true } = load;
  stack.receiver.reset();
  const countTransactions = await watchTransactions(stack);
  const before = stack.usage();
  const startedAt = now();
  const { pushed, late } = await pushSteadily(load.target, load);
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
  const share = (part: 'own' | 'receiver') => (after[part].cpuUs - before[part].cpuUs) / (ms * 10);
  const row = {
    'events/s': (pushed.size / ms) * 1_000,
    'p50 ms': p50,
    'p95 ms': p95,
    'p99 ms': p99,
    'max ms': max,
    'late p99 ms': late.p99,
    'bench % of a core': share('own') + share('receiver'),
    'transactions each': committed / pushed.size,
    ...exactness(arrived),
  };
  const due = [...wanted.values()];
  const dueMs = (due.at(-1) ?? 0) - (due[0] ?? 0);
  const kept = (arrived.latencies.length / (arrived.lastAt - arrived.firstAt)) * (dueMs / wanted.size);
  return { row, p99, kept };
}
