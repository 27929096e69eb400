/** One use of a quota. It must be released. */
export type QuotaUse = { release(): void };

export type AccountQuota = {
  /** A use for the account or, when its quota is used, the wait until it should ask again. */
  acquire(accountId: string): QuotaUse | { waitMs: number };
};

type AccountState = { count: number; nextAt: number };

/**
 * Gives each account at most `maxPerAccount` concurrent uses, each of which takes at most `maxUseMs`. Every caller that has
 * to wait gets a time of its own, so that it usually asks twice only.
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
