import type { ReceiverHealth } from './receiver-health.js';

/** The account and the receiver's health, by which the quotas count an attempt. */
type AttemptClass = { accountId: string; health: ReceiverHealth };
type AttemptCounts = Record<ReceiverHealth, number>;

/** Counts attempts that hold permits, and says how many more may get one, in total and for one account. */
export type AttemptQuotas = {
  /** Adds to the attempts of an account; a negative count removes them. */
  add(attemptClass: AttemptClass, count: number): void;
  /** How many more attempts may start in this worker, over all accounts. */
  available(): number;
  /** How many more attempts the account's quota of all receivers allows. Check `available` too. */
  availableToAccount(accountId: string): number;
  /**
   * How many more attempts to receivers of this health the account's and the worker's quotas allow. Check `available`
   * too.
   */
  availableToClass(attemptClass: AttemptClass): number;
  /** Whether an account has used up its quota of attempts to unresponsive receivers. */
  isUnresponsiveQuotaExhausted(accountId: string): boolean;
  /**
   * A copy for trying reservations. It reads counts of accounts from the original, so it is valid until the original
   * changes.
   */
  fork(): AttemptQuotas;
};

const noAttempts: AttemptCounts = { healthy: 0, slow: 0, unresponsive: 0 };

/**
 * Creates the quotas of concurrent attempts of a worker. Each is a share of `concurrency`, but at least 1:
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
export function createAttemptQuotas(concurrency: number): AttemptQuotas {
  const shareOf = (share: number) => Math.max(1, Math.floor(concurrency * share));
  const perWorker: Limits = { all: concurrency, slow: shareOf(1 / 4), unresponsive: shareOf(1 / 2) };
  const perAccount: Limits = { all: shareOf(3 / 4), slow: shareOf(3 / 16), unresponsive: shareOf(3 / 8) };
  return createQuotaCounter({ perWorker, perAccount }, { ofWorker: { ...noAttempts }, ofAccount: () => noAttempts });
}

/** Maximum attempts to receivers of any health, to slow ones and to unresponsive ones. */
type Limits = { all: number; slow: number; unresponsive: number };
type LimitsByScope = { perWorker: Limits; perAccount: Limits };
type BaseCounts = { ofWorker: AttemptCounts; ofAccount(accountId: string): AttemptCounts };

/** The counter changes `ofWorker`, but copies an account's counts at their first change, so that `fork` is cheap. */
function createQuotaCounter(
  { perWorker, perAccount }: LimitsByScope,
  { ofWorker, ofAccount: baseOfAccount }: BaseCounts,
): AttemptQuotas {
  const accounts = new Map<string, AttemptCounts>();
  const ofAccount = (accountId: string) => accounts.get(accountId) ?? baseOfAccount(accountId);
  const availableToAccount = (accountId: string) => availableIn(perAccount, ofAccount(accountId));
  return {
    add({ accountId, health }, added) {
      const account = accounts.get(accountId) ?? { ...baseOfAccount(accountId) };
      ofWorker[health] += added;
      account[health] += added;
      if (account.healthy + account.slow + account.unresponsive > 0) accounts.set(accountId, account);
      else accounts.delete(accountId);
    },
    available: () => availableIn(perWorker, ofWorker),
    availableToAccount,
    availableToClass({ accountId, health }) {
      if (health === 'healthy') return availableToAccount(accountId);
      const available = perWorker[health] - ofWorker[health];
      const availableOwn = perAccount[health] - ofAccount(accountId)[health];
      return Math.min(available, availableOwn, availableToAccount(accountId));
    },
    isUnresponsiveQuotaExhausted: (accountId) => ofAccount(accountId).unresponsive >= perAccount.unresponsive,
    fork: () => createQuotaCounter({ perWorker, perAccount }, { ofWorker: { ...ofWorker }, ofAccount }),
  };
}

/** Unresponsive receivers take at most their own quota from the quota of all receivers. */
const availableIn = ({ all, unresponsive: max }: Limits, { healthy, slow, unresponsive }: AttemptCounts) =>
  all - healthy - slow - Math.min(unresponsive, max);
