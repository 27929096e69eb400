/** Permission for one attempt of a verification. It must be released. */
export type VerificationPermit = { release(): void };

export type VerificationQuota = {
  /**
   * Returns a permit or, when the account's quota is exhausted, how long the caller should wait before it tries again.
   */
  acquire(accountId: string): VerificationPermit | { waitMs: number };
};

/** `waitsUntilMonotonicMs`: the end of the latest wait that a caller got. */
type AccountState = { inFlight: number; waitsUntilMonotonicMs: number };

/**
 * Limits the concurrent verification requests of each account in this worker to `maxPerAccount`. A request takes at
 * most `timeoutMs`. Callers that have to wait get staggered waits, so that a caller usually gets its permit at the
 * second try.
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
      const account = accounts.get(accountId) ?? { inFlight: 0, waitsUntilMonotonicMs: 0 };
      accounts.set(accountId, account);
      if (account.inFlight >= maxPerAccount) {
        account.waitsUntilMonotonicMs = Math.max(account.waitsUntilMonotonicMs, now()) + timeoutMs / maxPerAccount;
        return { waitMs: account.waitsUntilMonotonicMs - now() };
      }
      account.inFlight++;
      return {
        release() {
          account.inFlight--;
          if (account.inFlight === 0) accounts.delete(accountId);
        },
      };
    },
  };
}
