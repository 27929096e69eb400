/** What is made use of; has to be given back. */
export type Share = { leave(): void };

export type Shares = {
  /** A share for an account; where it has as many as it may, when one will be free for whoever asks now. */
  take(accountId: string): Share | { waitMs: number };
};

type Taken = { count: number; nextAt: number };

/**
 * Lets each account have so many at once, so that there are others left for everybody else. Whoever has to wait is given
 * a time of his own, `usualMs` being how long one is kept at most, so that he comes back once and not again and again.
 */
export function createShares({
  mostEach,
  usualMs,
  now = () => performance.now(),
}: {
  mostEach: number;
  usualMs: number;
  now?: () => number;
}): Shares {
  const accounts = new Map<string, Taken>();
  return {
    take(accountId) {
      const taken = accounts.get(accountId) ?? { count: 0, nextAt: 0 };
      accounts.set(accountId, taken);
      if (taken.count >= mostEach) {
        taken.nextAt = Math.max(taken.nextAt, now()) + usualMs / mostEach;
        return { waitMs: taken.nextAt - now() };
      }
      taken.count++;
      return {
        leave() {
          taken.count--;
          if (taken.count === 0) accounts.delete(accountId);
        },
      };
    },
  };
}
