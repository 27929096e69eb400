/** Permission for one attempt of a verification. It must be released. */
type VerificationPermit = { release(): void };

type QuotaOptions = { maxPerAccount: number; timeoutMs: number; now?: () => number };

/**
 * Limits the concurrent verification requests of each account in this worker to `maxPerAccount`. A request takes at
 * most `timeoutMs`. Callers that have to wait get staggered waits, so that a caller usually gets its permit at the
 * second try.
 */
export class VerificationQuota {
  readonly #options: Required<QuotaOptions>;
  /** `waitsUntilMonotonicMs`: the end of the latest wait that a caller got. */
  readonly #accounts = new Map<string, { inFlight: number; waitsUntilMonotonicMs: number }>();

  constructor({ now = () => performance.now(), ...options }: QuotaOptions) {
    this.#options = { ...options, now };
  }

  /**
   * Returns a permit or, when the account's quota is exhausted, how long the caller should wait before it tries again.
   */
  acquire(accountId: string): VerificationPermit | { waitMs: number } {
    const { maxPerAccount, timeoutMs, now } = this.#options;
    const account = this.#accounts.get(accountId) ?? { inFlight: 0, waitsUntilMonotonicMs: 0 };
    this.#accounts.set(accountId, account);
    if (account.inFlight >= maxPerAccount) {
      account.waitsUntilMonotonicMs = Math.max(account.waitsUntilMonotonicMs, now()) + timeoutMs / maxPerAccount;
      return { waitMs: account.waitsUntilMonotonicMs - now() };
    }
    account.inFlight++;
    return {
      release: () => {
        account.inFlight--;
        if (account.inFlight === 0) this.#accounts.delete(accountId);
      },
    };
  }
}
