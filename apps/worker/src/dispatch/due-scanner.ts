import { type Database, type DuePosition, scanDue, type WebhookChannel } from '@ringback/ledger';

/** Finds webhooks whose deliveries became due recently. */
export type DueScanner = {
  /** Milliseconds until the next scan. */
  msUntilNextScan(): number;
  /** Reports that a delivery becomes due in `ms`, so that the next scan is no later than that. */
  scheduleScan(ms: number): void;
  /**
   * Resolves with the webhooks that have waiting deliveries which became due after the last scan or in the 3 s before
   * it. While it is too early for a scan, resolves with an empty list.
   */
  scan(): Promise<WebhookChannel[]>;
};

const maxWaitMs = 1_000;
// Scans are at least this far apart, so that each finds several deliveries under load.
const minWaitMs = 25;

/**
 * A scan is due when the next delivery becomes due, at the latest 1 s and at the earliest 25 ms after the last scan. A
 * scan reads at most 5,000 deliveries; the next scan continues after them. Deliveries that became due more than 3 s
 * before the last scan are only found by wake-ups and by the full list.
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
      const result = await scanDue(db, position);
      position = result.position;
      const waitMs = result.isComplete ? (result.nextDueInMs ?? maxWaitMs) : 0;
      nextAt = Math.min(nextAt, now() + waitMs);
      return result.dueWebhooks;
    },
  };
}
