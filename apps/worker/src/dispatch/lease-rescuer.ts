import { type Database, rescueExpiredLeases, type WebhookChannel } from '@ringback/database';
import type { Logger } from '@ringback/runtime';

/** Makes the deliveries of workers that died due again. */
export type LeaseRescuer = {
  /** Rescues deliveries whose leases expired, at most once a second. Resolves with their webhooks. */
  rescue(): Promise<WebhookChannel[]>;
  /** Reports that a statement failed. For some time, leases may expire because workers could not record. */
  postpone(): void;
};

const rescueEveryMs = 1_000;
// After an outage of PostgreSQL, workers get this long to record their attempts before leases count as expired. It is longer
// than any wait of `retryWhileUnavailable`.
const graceMs = 6_000;

export function createLeaseRescuer(db: Database, log: Pick<Logger, 'warn'>): LeaseRescuer {
  let nextAt = -Infinity;
  // The database's times at the last two rescues.
  let rescueTimes: string[] = [];
  return {
    async rescue() {
      const now = performance.now();
      if (now < nextAt) return [];
      nextAt = now + rescueEveryMs;
      // A lease must have expired before the second-last rescue, because after a stall live workers can still record.
      const { rescued, now: serverTime } = await rescueExpiredLeases(db, rescueTimes[0] ?? '-infinity');
      rescueTimes = [...rescueTimes, serverTime].slice(-2);
      const count = rescued.reduce((sum, webhook) => sum + webhook.count, 0);
      if (count > 0) log.warn('lease.expired', { count });
      return rescued;
    },
    postpone() {
      nextAt = performance.now() + graceMs;
    },
  };
}
