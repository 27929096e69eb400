/** How a delivery was leased. `ingest`: when this worker stored its event. `claim`: by a claim. */
export type LeaseOrigin = 'ingest' | 'claim';

/** Counts the leases that this worker holds, and says how many more it may request. */
export type LeaseCapacity = {
  /** How many more deliveries of this origin may be leased. */
  availableLeases(origin: LeaseOrigin): number;
  /** Resolves when deliveries of new events may be leased, or when the capacity is closed. */
  waitForIngestCapacity(): Promise<void>;
  /** Counts a lease that has started, even beyond the capacity. */
  acquire(origin: LeaseOrigin): void;
  /** Counts the end of a lease. */
  release(origin: LeaseOrigin): void;
  /** Ends all waits. After this, no capacity is available. */
  close(): void;
};

// Leases of each origin get at most this share of `maxLeased`, so about a quarter is left for the other origin.
const maxShare = 3 / 4;

/**
 * `maxLeased` is a target. Two ingest statements and a claim may run at the same time, and none counts what the others
 * will lease. Each requests up to three quarters of `maxLeased`, so up to 9/4 of `maxLeased` may be leased.
 */
export function createLeaseCapacity({ maxLeased }: { maxLeased: number }): LeaseCapacity {
  const counts = { ingest: 0, claim: 0 };
  const endWaits: (() => void)[] = [];
  let isClosed = false;

  const total = () => counts.ingest + counts.claim;
  const availableLeases = (origin: LeaseOrigin) => {
    if (isClosed) return 0;
    return Math.max(0, Math.min(Math.ceil(maxLeased * maxShare) - counts[origin], maxLeased - total()));
  };
  const resume = (count: number) => {
    for (const end of endWaits.splice(0, count)) end();
  };
  return {
    availableLeases,
    waitForIngestCapacity: () =>
      isClosed || availableLeases('ingest') > 0
        ? Promise.resolve()
        : new Promise((resolve) => void endWaits.push(resolve)),
    acquire: (origin) => void counts[origin]++,
    release(origin) {
      counts[origin]--;
      // Without any lease, no later release would end the other waits, so all end now.
      resume(total() === 0 ? endWaits.length : availableLeases('ingest'));
    },
    close() {
      isClosed = true;
      resume(endWaits.length);
    },
  };
}
