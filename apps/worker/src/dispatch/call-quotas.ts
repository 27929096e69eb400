import type { ReceiverHealth } from './receiver-health.js';

/** A call is one HTTP request to a receiver. */
type Call = { accountId: string; health: ReceiverHealth };
type CallCounts = Record<ReceiverHealth, number>;

/** Counts calls and tells how many more may start, in total and for one account. */
export type CallQuotas = {
  /** Adds to the calls of an account; a negative count removes them. */
  add(call: Call, count: number): void;
  /** How many more calls may start for any webhook. */
  available(): number;
  /** How many more calls may start for an account. */
  availableToAccount(accountId: string): number;
  /** How many more calls may start for an account, to receivers of this health. */
  availableToReceiver(call: Call): number;
  /** Whether an account has used up its quota of calls to unresponsive receivers. */
  isUnresponsiveQuotaExhausted(accountId: string): boolean;
  /** A copy that may be changed. Use it at once: it shows later changes of the original only in part. */
  copy(): CallQuotas;
};

const noCalls: CallCounts = { healthy: 0, slow: 0, unresponsive: 0 };

/**
 * Caps a worker's `concurrency` concurrent calls:
 *
 *                              of all calls   for one account
 *   all receivers              1              3/4
 *   slow receivers             1/4            3/16
 *   unresponsive receivers     1/2            3/8
 *
 * A call whose receiver becomes unresponsive while it is in flight may exceed the quota. The excess is not charged
 * to other receivers.
 */
export function createCallQuotas(concurrency: number): CallQuotas {
  const shareOf = (share: number) => Math.max(1, Math.floor(concurrency * share));
  const total: Quota = { total: concurrency, slow: shareOf(1 / 4), unresponsive: shareOf(1 / 2) };
  const perAccount: Quota = { total: shareOf(3 / 4), slow: shareOf(3 / 16), unresponsive: shareOf(3 / 8) };
  return createCounter({ total, perAccount }, { all: { ...noCalls }, ofAccount: () => noCalls });
}

type Quota = { total: number; slow: number; unresponsive: number };
type Quotas = { total: Quota; perAccount: Quota };
type InitialCounts = { all: CallCounts; ofAccount(accountId: string): CallCounts };

/** `all` is changed by the counter; the counts of accounts are copied on write. */
function createCounter(quotas: Quotas, { all, ofAccount: initialOfAccount }: InitialCounts): CallQuotas {
  const { total, perAccount } = quotas;
  const accounts = new Map<string, CallCounts>();
  const ofAccount = (accountId: string) => accounts.get(accountId) ?? initialOfAccount(accountId);
  const availableToAccount = (accountId: string) => availableIn(perAccount, ofAccount(accountId));
  return {
    add({ accountId, health }, added) {
      const account = accounts.get(accountId) ?? { ...initialOfAccount(accountId) };
      all[health] += added;
      account[health] += added;
      if (account.healthy + account.slow + account.unresponsive > 0) accounts.set(accountId, account);
      else accounts.delete(accountId);
    },
    available: () => availableIn(total, all),
    availableToAccount,
    availableToReceiver({ accountId, health }) {
      if (health === 'healthy') return availableToAccount(accountId);
      const left = total[health] - all[health];
      const leftToAccount = perAccount[health] - ofAccount(accountId)[health];
      return Math.min(left, leftToAccount, availableToAccount(accountId));
    },
    isUnresponsiveQuotaExhausted: (accountId) => ofAccount(accountId).unresponsive >= perAccount.unresponsive,
    copy: () => createCounter(quotas, { all: { ...all }, ofAccount }),
  };
}

const availableIn = ({ total, unresponsive: max }: Quota, { healthy, slow, unresponsive }: CallCounts) =>
  total - healthy - slow - Math.min(unresponsive, max);
