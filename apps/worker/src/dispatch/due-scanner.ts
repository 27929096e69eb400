import { type Database, type DuePosition, scanDue, type WebhookChannel } from '@ringback/database';

/** Finds webhooks whose deliveries became due since the last scan. */
export type DueScanner = {
  /** Milliseconds until the next scan. */
  msUntilNextScan(): number;
  /** Reports that a delivery becomes due in `ms`, so that the next scan is no later than that. */
  scheduleScan(ms: number): void;
  /**
   * Resolves with the webhooks that have deliveries which became due since the last scan, or with an empty list while
   * it is too early for a scan.
   */
  scan(): Promise<WebhookChannel[]>;
};

const maxWaitMs = 1_000;
// Scans are at least this far apart, so that each finds several deliveries under load.
const minWaitMs = 25;

/**
 * Scans when the next delivery becomes due, at least once a second and at most every 25 ms. If a wake-up is lost, a
 * scan finds deliveries that became due up to 3 s before the last scan. Only the full list, every 30 s,
 * finds those that were due earlier.
 */
export function createDueScanner(db: Database, now = () => performance.now()): DueScanner {
  let position: DuePosition | null = null;
  let scannedAt = -Infinity;
  let nextAt = -Infinity;
  const nextScanAt = () => Math.max(nextAt, scannedAt + minWaitMs);
  return {
    msUntilNextScan: () => Math.max(0, nextScanAt() - now()),
    scheduleScan(ms) {
      nextAt = Math.min(nextAt, now() + ms);
    },
    async scan() {
      if (now() < nextScanAt()) return [];
      scannedAt = now();
      nextAt = scannedAt + maxWaitMs;
      const found = await scanDue(db, position);
      position = found.position;
      const waitMs = found.isComplete ? (found.nextDueInMs ?? maxWaitMs) : 0;
      nextAt = Math.min(nextAt, now() + waitMs);
      return found.dueWebhooks;
    },
  };
}
