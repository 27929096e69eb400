import { type Database, rescueExpiredLeases, type WebhookChannel } from '@ringback/ledger';
import type { Logger } from '@ringback/process';

/** Makes deliveries due again whose leases expired: their worker died, or was cut off from PostgreSQL. */
export type LeaseRescuer = {
  /**
   * Rescues up to 1,000 deliveries whose leases expired, at most once a second. Resolves with their webhooks; with an
   * empty list while it is too early.
   */
  rescue(): Promise<WebhookChannel[]>;
  /**
   * Postpones the next rescue by 6 s. After a failed statement, leases may have expired because workers cannot record.
   */
  postponeAfterFailure(): void;
};

const rescueEveryMs = 1_000;
// After an outage of PostgreSQL, workers get this long to record their attempts before leases are rescued. This is
// longer than any wait of `retryWhileUnavailable`.
const postponeMs = 6_000;

export function createLeaseRescuer(db: Database, log: Pick<Logger, 'warn'>): LeaseRescuer {
  let nextAtMonotonicMs = -Infinity;
  // The database's times at the last two rescues.
  let rescueTimes: string[] = [];
  return {
    async rescue() {
      const now = performance.now();
      if (now < nextAtMonotonicMs) return [];
      nextAtMonotonicMs = now + rescueEveryMs;
      // Rescues only leases that had expired two rescues ago. This gives live workers 1 to 2 s to record after a stall
      // of the database.
      const { rescued, now: serverTime } = await rescueExpiredLeases(db, rescueTimes[0] ?? '-infinity');
      rescueTimes = [...rescueTimes, serverTime].slice(-2);
      const count = rescued.reduce((sum, webhook) => sum + webhook.count, 0);
      if (count > 0) log.warn('lease.expired', { count });
      return rescued;
    },
    postponeAfterFailure() {
      nextAtMonotonicMs = performance.now() + postponeMs;
    },
  };
}
