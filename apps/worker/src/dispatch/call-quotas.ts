import type { ReceiverHealth } from './receiver-health.js';

type Call = { accountId: string; health: ReceiverHealth };
type CallCounts = Record<ReceiverHealth, number>;

/** Counts calls in flight and tells how many more may start, in all and for one account. */
export type CallQuotas = {
  /** Counts calls of an account as in flight; a negative count removes them. */
  add(call: Call, count: number): void;
  /** How many more calls of any webhook may start. */
  available(): number;
  /** How many more calls of an account may start to receivers of any health. */
  availableTo(accountId: string): number;
  /** How many more calls of an account may start to receivers of this health. */
  availableFor(call: Call): number;
  /** Whether the unresponsive receivers of an account have as many calls in flight as they may. */
  isUnresponsiveQuotaUsed(accountId: string): boolean;
  /** A copy that counts on its own. */
  copy(): CallQuotas;
};

const none: CallCounts = { healthy: 0, slow: 0, unresponsive: 0 };

/**
 * Quotas of the calls of a worker: unresponsive receivers get half of all `calls` together, slow ones a quarter, and an
 * account three quarters of each of these and of all. A call that is in flight when its receiver becomes unresponsive may
 * exceed the quota; the excess is not taken from the calls of others.
 */
export function createCallQuotas(calls: number): CallQuotas {
  const part = (share: number) => Math.max(1, Math.floor(calls * share));
  const max: Quota = { total: calls, slow: part(1 / 4), unresponsive: part(1 / 2) };
  const maxOfAccount: Quota = { total: part(3 / 4), slow: part(3 / 16), unresponsive: part(3 / 8) };
  return count({ max, maxOfAccount }, { all: { ...none }, ofAccount: () => none });
}

type Quota = { total: number; slow: number; unresponsive: number };
type Counted = { all: CallCounts; ofAccount(accountId: string): CallCounts };

function count(quotas: { max: Quota; maxOfAccount: Quota }, { all, ofAccount: countedBefore }: Counted): CallQuotas {
  const { max, maxOfAccount } = quotas;
  const accounts = new Map<string, CallCounts>();
  const ofAccount = (accountId: string) => accounts.get(accountId) ?? countedBefore(accountId);
  const availableTo = (accountId: string) => availableIn(maxOfAccount, ofAccount(accountId));
  return {
    add({ accountId, health }, added) {
      const account = accounts.get(accountId) ?? { ...countedBefore(accountId) };
      all[health] += added;
      account[health] += added;
      if (account.healthy + account.slow + account.unresponsive > 0) accounts.set(accountId, account);
      else accounts.delete(accountId);
    },
    available: () => availableIn(max, all),
    availableTo,
    availableFor({ accountId, health }) {
      if (health === 'healthy') return availableTo(accountId);
      const account = maxOfAccount[health] - ofAccount(accountId)[health];
      return Math.min(max[health] - all[health], account, availableTo(accountId));
    },
    isUnresponsiveQuotaUsed: (accountId) => ofAccount(accountId).unresponsive >= maxOfAccount.unresponsive,
    copy: () => count(quotas, { all: { ...all }, ofAccount }),
  };
}

const availableIn = ({ total, unresponsive: max }: Quota, { healthy, slow, unresponsive }: CallCounts) =>
  total - healthy - slow - Math.min(unresponsive, max);
