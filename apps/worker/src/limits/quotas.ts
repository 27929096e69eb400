import type { ReceiverHealth } from './limited-webhook.js';

/** The account and the receiver's health, by which the quotas count an attempt. */
type AttemptClass = { accountId: string; health: ReceiverHealth };
type AttemptCounts = Record<ReceiverHealth, number>;

/** Maximum attempts to receivers of any health, to slow ones and to unresponsive ones. */
type Limits = { all: number; slow: number; unresponsive: number };
type LimitsByScope = { perWorker: Limits; perAccount: Limits };
type BaseCounts = { ofWorker: AttemptCounts; ofAccount(accountId: string): AttemptCounts };

const noAttempts: AttemptCounts = { healthy: 0, slow: 0, unresponsive: 0 };

/**
 * Counts attempts that hold permits, and says how many more may get one. Each quota is a share of `concurrency`, but at
 * least 1:
 *
 *                              in the worker  for one account
 *   all receivers              1              3/4
 *   slow receivers             1/4            3/16
 *   unresponsive receivers     1/2            3/8
 *
 * When a receiver becomes slow or unresponsive, its attempts in flight may exceed the quota of its new health. Those of
 * unresponsive receivers beyond their quota are not charged to the quota of all receivers, so more than `concurrency`
 * attempts may be in flight.
 */
export class AttemptQuotas {
  readonly #limits: LimitsByScope;
  readonly #ofWorker: AttemptCounts;
  readonly #baseOfAccount: BaseCounts['ofAccount'];
  // An account's counts are copied from the base at their first change, so that `fork` is cheap.
  readonly #accounts = new Map<string, AttemptCounts>();

  private constructor(limits: LimitsByScope, { ofWorker, ofAccount }: BaseCounts) {
    this.#limits = limits;
    this.#ofWorker = ofWorker;
    this.#baseOfAccount = ofAccount;
  }

  static ofWorker(concurrency: number): AttemptQuotas {
    const shareOf = (share: number) => Math.max(1, Math.floor(concurrency * share));
    const perWorker: Limits = { all: concurrency, slow: shareOf(1 / 4), unresponsive: shareOf(1 / 2) };
    const perAccount: Limits = { all: shareOf(3 / 4), slow: shareOf(3 / 16), unresponsive: shareOf(3 / 8) };
    return new AttemptQuotas({ perWorker, perAccount }, { ofWorker: { ...noAttempts }, ofAccount: () => noAttempts });
  }

  /**
   * A copy for trying reservations. It reads counts of accounts from the original, so it is valid until the original
   * changes.
   */
  fork(): AttemptQuotas {
    const ofAccount = (accountId: string) => this.#ofAccount(accountId);
    return new AttemptQuotas(this.#limits, { ofWorker: { ...this.#ofWorker }, ofAccount });
  }

  /** Adds to the attempts of an account; a negative count removes them. */
  add({ accountId, health }: AttemptClass, count: number): void {
    const account = this.#accounts.get(accountId) ?? { ...this.#baseOfAccount(accountId) };
    this.#ofWorker[health] += count;
    account[health] += count;
    if (account.healthy + account.slow + account.unresponsive > 0) this.#accounts.set(accountId, account);
    else this.#accounts.delete(accountId);
  }

  /** How many more attempts may start in this worker, over all accounts. */
  available(): number {
    return availableIn(this.#limits.perWorker, this.#ofWorker);
  }

  /** How many more attempts the account's quota of all receivers allows. Check `available` too. */
  availableToAccount(accountId: string): number {
    return availableIn(this.#limits.perAccount, this.#ofAccount(accountId));
  }

  /**
   * How many more attempts to receivers of this health the account's and the worker's quotas allow. Check `available`
   * too.
   */
  availableToClass({ accountId, health }: AttemptClass): number {
    if (health === 'healthy') return this.availableToAccount(accountId);
    const { perWorker, perAccount } = this.#limits;
    const available = perWorker[health] - this.#ofWorker[health];
    const availableOwn = perAccount[health] - this.#ofAccount(accountId)[health];
    return Math.min(available, availableOwn, this.availableToAccount(accountId));
  }

  /** Whether an account has used up its quota of attempts to unresponsive receivers. */
  isUnresponsiveQuotaExhausted(accountId: string): boolean {
    return this.#ofAccount(accountId).unresponsive >= this.#limits.perAccount.unresponsive;
  }

  #ofAccount(accountId: string): AttemptCounts {
    return this.#accounts.get(accountId) ?? this.#baseOfAccount(accountId);
  }
}

/** Unresponsive receivers take at most their own quota from the quota of all receivers. */
const availableIn = ({ all, unresponsive: max }: Limits, { healthy, slow, unresponsive }: AttemptCounts) =>
  all - healthy - slow - Math.min(unresponsive, max);
