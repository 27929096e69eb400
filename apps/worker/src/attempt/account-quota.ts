/** One slot of an account's quota. It must be released. */
export type QuotaPermit = { release(): void };

export type AccountQuota = {
  /** Returns a permit or, when the account's quota is exhausted, how long the caller should wait before it tries again. */
  acquire(accountId: string): QuotaPermit | { waitMs: number };
};

type AccountState = { count: number; nextAt: number };

/**
 * Gives each account at most `maxPerAccount` concurrent permits. Callers hold a permit for about `maxUseMs`. Callers that
 * have to wait get staggered waits, so that a caller usually gets its permit at the second try.
 */
export function createAccountQuota({
  maxPerAccount,
  maxUseMs,
  now = () => performance.now(),
}: {
  maxPerAccount: number;
  maxUseMs: number;
  now?: () => number;
}): AccountQuota {
  const accounts = new Map<string, AccountState>();
  return {
    acquire(accountId) {
      const account = accounts.get(accountId) ?? { count: 0, nextAt: 0 };
      accounts.set(accountId, account);
      if (account.count >= maxPerAccount) {
        account.nextAt = Math.max(account.nextAt, now()) + maxUseMs / maxPerAccount;
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
