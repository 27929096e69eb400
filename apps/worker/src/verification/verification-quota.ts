/** Permission for one attempt of a verification. It must be released. */
export type VerificationPermit = { release(): void };

export type VerificationQuota = {
  /**
   * Returns a permit or, when the account's quota is exhausted, how long the caller should wait before it tries again.
   */
  acquire(accountId: string): VerificationPermit | { waitMs: number };
};

type AccountState = { count: number; nextAt: number };

/**
 * Limits the concurrent verification requests of each account to `maxPerAccount`. A request takes at most
 * `timeoutMs`. Callers that have to wait get staggered waits, so that a caller usually gets its permit at the second
 * try.
 */
export function createVerificationQuota({
  maxPerAccount,
  timeoutMs,
  now = () => performance.now(),
}: {
  maxPerAccount: number;
  timeoutMs: number;
  now?: () => number;
}): VerificationQuota {
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
