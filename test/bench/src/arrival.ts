import { setTimeout as sleep } from 'node:timers/promises';
import { now } from './clock.js';
import type { Pushed } from './load.js';
import { type Stack, settled } from './stack.js';

export type Arrived = {
  /** From when each was due to be pushed to its first byte at the receiver, in ms. */
  latencies: number[];
  missing: number;
  repeated: number;
  /** What nobody pushed. */
  foreign: number;
  firstAt: number;
  lastAt: number;
};

export type Awaiting = {
  /** Gives up when nothing more has come for so long. */
  timeoutSeconds?: number;
  /** What else may come. */
  isKnown?: (key: string) => boolean;
  at?: (share: number) => void;
  /** Called once everything wanted is there, before the wait for what else is due. */
  onArrival?: () => void;
  /** False leaves what else is due alone. */
  settle?: boolean;
};

type Awaited = Pick<Stack, 'receiver'> & Partial<Pick<Stack, 'db'>>;

/**
 * Waits until everything wanted arrived, or nothing more has come for a while, and until no delivery is due any more;
 * then compares all that came with what was pushed.
 */
export async function awaitArrival(stack: Awaited, wanted: Pushed, how: Awaiting = {}): Promise<Arrived> {
  const { timeoutSeconds = 20, isKnown = () => false, at = () => undefined, onArrival, settle = true } = how;
  const places = new Set([...wanted.keys()].map((key) => key.split('/', 2)[1] ?? ''));
  let seen = -1;
  let since = now();
  for (;;) {
    const { arrived } = await stack.receiver.count();
    const count = [...places].reduce((sum, place) => sum + (arrived[place] ?? 0), 0);
    at(count / wanted.size);
    if (count > seen) {
      [seen, since] = [count, now()];
      // As many as wanted may be the wrong ones.
      if (count >= wanted.size && compare(wanted, await stack.receiver.report(), isKnown).missing === 0) break;
    }
    if (now() - since > timeoutSeconds * 1_000) break;
    await sleep(100);
  }
  onArrival?.();
  if (settle && stack.db) await settled({ db: stack.db });
  return compare(wanted, await stack.receiver.report(), isKnown);
}

/** What came beside what was wanted. */
export function compare(
  wanted: Pushed,
  { keys, times }: { keys: string[]; times: number[] },
  isKnown: (key: string) => boolean = () => false,
): Arrived {
  const first = new Map<string, number>();
  let repeated = 0;
  let foreign = 0;
  let [firstAt, lastAt] = [Infinity, -Infinity];
  keys.forEach((key, index) => {
    const at = times[index] ?? 0;
    if (!wanted.has(key)) foreign += isKnown(key) ? 0 : 1;
    else if (first.has(key)) repeated++;
    else {
      first.set(key, at);
      [firstAt, lastAt] = [Math.min(firstAt, at), Math.max(lastAt, at)];
    }
  });
  const latencies = [...first].map(([key, at]) => at - (wanted.get(key) ?? at));
  return { latencies, missing: wanted.size - first.size, repeated, foreign, firstAt, lastAt };
}

/** What a row of a result says of exactly once. */
export function exactness({ missing, repeated, foreign }: Arrived) {
  return { missing, repeated, ...(foreign > 0 ? { foreign } : {}) };
}
