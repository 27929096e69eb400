import { setTimeout as sleep } from 'node:timers/promises';
import { now } from './clock.js';
import { type Pushed, pushSteadily, type Target } from './load.js';
import { describeLatency, watchTransactions } from './measurements.js';
import type { Row } from './result.js';
import { awaitNoDue, type Stack } from './stack.js';

export type Arrived = {
  /** The time from each event's due time to its first byte at the receiver, in ms. */
  latencies: number[];
  missing: number;
  repeated: number;
  /** Arrivals of messages that are neither wanted nor known. */
  unexpected: number;
  firstAtMonotonicMs: number;
  lastAtMonotonicMs: number;
};

export type ArrivalOptions = {
  /** The wait ends if nothing has arrived for this time. */
  timeoutSeconds?: number;
  /** Whether a message that is not wanted may arrive. Such a message is not `unexpected`. */
  isKnown?: (key: string) => boolean;
  setFraction?: (fraction: number) => void;
  /** Called when everything wanted has arrived, before the wait for the other due deliveries. */
  onArrival?: () => void;
  /** Whether to wait until no delivery is due; by default true. */
  settle?: boolean;
};

type ArrivalStack = Pick<Stack, 'receiver'> & Partial<Pick<Stack, 'db'>>;

/**
 * Waits until all wanted messages have arrived, or none has arrived for a while. Then waits until no delivery is due,
 * unless `settle` is false. Compares the arrivals with the wanted messages.
 */
export async function awaitArrival(
  stack: ArrivalStack,
  wanted: Pushed,
  options: ArrivalOptions = {},
): Promise<Arrived> {
  const { timeoutSeconds = 20, isKnown = () => false, setFraction, onArrival, settle = true } = options;
  const groups = new Set([...wanted.keys()].map((key) => key.split('/', 2)[1] ?? ''));
  let lastCount = -1;
  let lastProgressAt = now();
  for (;;) {
    const { arrived } = await stack.receiver.count();
    const count = [...groups].reduce((sum, group) => sum + (arrived[group] ?? 0), 0);
    setFraction?.(count / wanted.size);
    if (count > lastCount) {
      [lastCount, lastProgressAt] = [count, now()];
      // The count may include messages that are not wanted.
      if (count >= wanted.size && compare(wanted, await stack.receiver.report(), isKnown).missing === 0) break;
    }
    if (now() - lastProgressAt > timeoutSeconds * 1_000) break;
    await sleep(100);
  }
  onArrival?.();
  if (settle && stack.db) await awaitNoDue({ db: stack.db });
  return compare(wanted, await stack.receiver.report(), isKnown);
}

/** Compares the arrivals with the wanted messages. */
export function compare(
  wanted: Pushed,
  { keys, times }: { keys: string[]; times: number[] },
  isKnown: (key: string) => boolean = () => false,
): Arrived {
  const first = new Map<string, number>();
  let repeated = 0;
  let unexpected = 0;
  let [firstAtMonotonicMs, lastAtMonotonicMs] = [Infinity, -Infinity];
  keys.forEach((key, index) => {
    const at = times[index] ?? 0;
    if (!wanted.has(key)) unexpected += isKnown(key) ? 0 : 1;
    else if (first.has(key)) repeated++;
    else {
      first.set(key, at);
      [firstAtMonotonicMs, lastAtMonotonicMs] = [Math.min(firstAtMonotonicMs, at), Math.max(lastAtMonotonicMs, at)];
    }
  });
  const latencies = [...first].map(([key, at]) => at - (wanted.get(key) ?? at));
  return { latencies, missing: wanted.size - first.size, repeated, unexpected, firstAtMonotonicMs, lastAtMonotonicMs };
}

/** The figures of a row that show whether each message arrived exactly once. */
export function deviations({ missing, repeated, unexpected }: Arrived) {
  return { missing, repeated, ...(unexpected > 0 ? { unexpected } : {}) };
}

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
