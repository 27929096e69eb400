/** How a call ended, for the limit of its webhook. `answered` is false when nothing came back. */
export type CallResult = { durationMs: number; answered: boolean };

/** Permission to call; has to be given back when the call is over. */
export type Permit = {
  /** Without a result no call was made, and nothing is learned of the receiver. */
  release(result?: CallResult): void;
};

/** What is known of a webhook that is called, or was lately. */
export type Tracked = {
  webhookId: string;
  accountId: string;
  /** How many of its calls may be in flight. */
  width: number;
  pace: Pace;
  /** A call of it was answered fast. */
  isProven: boolean;
  /** When each call in flight started, the oldest first. */
  started: Map<Permit, number>;
  /** When the last call ended. */
  leftAt: number;
  waiting: { since: number; resolve(permit: Permit | 'saturated'): void }[];
};

/** Calls in flight, by the pace of their webhooks. */
export type InFlight = Record<Pace, number>;
export const nothing: InFlight = { fast: 0, slow: 0, hung: 0 };

/** How a receiver answers: at once, late, or not, as far as is known. */
export type Pace = 'fast' | 'slow' | 'hung';

export const width = { first: 4, least: 2, slow: 10 };
export const slowMs = 500;
// A receiver that is known to answer late has longer until it is taken for one that hangs.
export const hungMs = { fast: slowMs, slow: 2_000, hung: Infinity };
export const settings = {
  maxSaturatedListed: 1_000,
  lookEveryMs: 100,
  /** A webhook that is not fast and was not called for this long begins anew. */
  forgetAfterMs: 60_000,
  /** A delivery waits this long for a permit at most. */
  maxWaitMs: 2_000,
};

/** Limits of calls in flight, of all webhooks and of one account, when `calls` are in flight at most. */
export function callLimits(calls: number) {
  const part = (share: number) => Math.max(1, Math.floor(calls * share));
  const most = {
    width: Math.max(width.least, Math.floor(calls / 4)),
    all: calls,
    slow: part(1 / 4),
    hung: part(1 / 2),
  };
  const mostOfAccount = { all: part(3 / 4), slow: part(3 / 16), hung: part(3 / 8) };
  return { most, mostOfAccount };
}
