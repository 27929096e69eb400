/** Permission for one challenge. It must be released. */
export type ChallengePermit = { release(): void };

export type ChallengeQuota = {
  /**
   * Returns a permit or, when the account's quota is exhausted, how long the caller should wait before it tries again.
   */
  acquire(accountId: string): ChallengePermit | { waitMs: number };
};

type AccountState = { count: number; nextAt: number };

/**
 * Limits the concurrent challenges of each account to `maxPerAccount`. The request of a challenge takes at most
 * `timeoutMs`. Callers that have to wait get staggered waits, so that a caller usually gets its permit at the second
 * try.
 */
export function createChallengeQuota({
  maxPerAccount,
  timeoutMs,
  now = () => performance.now(),
}: {
  maxPerAccount: number;
  timeoutMs: number;
  now?: () => number;
}): ChallengeQuota {
  const accounts = new Map<string, AccountState>();
  return {
    acquire(accountId) {
      const account = accounts.get(accountId) ?? { count: 0, nextAt: 0 };
      accounts.set(accountId, account);
      if (account.count >= maxPerAccount) {
        account.nextAt = Math.max(account.nextAt, now()) + timeoutMs / maxPerAccount;
        return { waitMs: account.nextAt - now() };
      }
      account.count++;
      return {
        release() {
          account.count--;
          if (account.count === 0) accounts.delete(accountId);
        },
      };
    },
  };
}
