import { type Database, type DuePosition, scanDue, type WebhookChannel } from '@ringback/database';

/** Follows what becomes due. */
export type DueScanner = {
  /** Whether something may have become due since the last scan. */
  isDue(): boolean;
  /** Until the next scan, in ms. */
  nextInMs(): number;
  /** Says that something becomes due in this many ms. */
  hurry(ms: number): void;
  /** The webhooks of which something became due. */
  scan(): Promise<WebhookChannel[]>;
};

const maxWaitMs = 1_000;
// Where much becomes due all the time, each scan finds several.
const minWaitMs = 25;

/** A scanner that scans when the next delivery becomes due, and every second. */
export function createDueScanner(db: Database, now = () => performance.now()): DueScanner {
  let position: DuePosition | null = null;
  let scannedAt = -Infinity;
  let nextAt = -Infinity;
  const soonest = () => Math.max(nextAt, scannedAt + minWaitMs);
  return {
    isDue: () => now() >= soonest(),
    nextInMs: () => Math.max(0, soonest() - now()),
    hurry(ms) {
      nextAt = Math.min(nextAt, now() + ms);
    },
    async scan() {
      scannedAt = now();
      nextAt = scannedAt + maxWaitMs;
      const found = await scanDue(db, position);
      position = found.position;
      const waitMs = found.complete ? (found.nextDueInMs ?? maxWaitMs) : 0;
      nextAt = Math.min(nextAt, now() + waitMs);
      return found.due;
    },
  };
}
