/** How a receiver answers: at once, late, or not, as far as is known. */
export type Pace = 'fast' | 'slow' | 'hung';

export const width = { first: 4, least: 2, slow: 10 };
export const slowMs = 500;
// A receiver that is known to answer late has longer until it is taken for one that hangs.
export const hungMs = { fast: slowMs, slow: 2_000, hung: Infinity };
export const mostFull = 1_000;
export const lookEveryMs = 100;
// A lane that is not fast and in which nobody was for so long begins anew.
export const forgottenMs = 60_000;
// A delivery waits this long for a permit at most.
export const maxWaitMs = 2_000;

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
