/** `ingest`: leased when this worker stored its event. `claim`: claimed from the database. */
export type LeaseOrigin = 'ingest' | 'claim';

/** Counts the leases that this worker holds, and says how many more it may request. */
export type LeaseCapacity = {
  /** How many more deliveries of this origin may be leased. */
  availableLeases(origin: LeaseOrigin): number;
  /** Resolves when deliveries of new events may be leased, or when the capacity is closed. */
  waitForIngestCapacity(): Promise<void>;
  /** Counts a lease that has started. It may exceed the capacity. */
  acquire(origin: LeaseOrigin): void;
  /** Counts the end of a lease. */
  release(origin: LeaseOrigin): void;
  /** Leaves no capacity, and ends all waits. */
  close(): void;
};

// Leases of each origin get at most this share of `maxLeased`, so about a quarter is left for the other origin.
const maxShare = 3 / 4;

/**
 * `maxLeased`: target maximum. Two ingest statements and a claim may run at the same time, and none counts what the
 * others will lease. Each requests up to three quarters of `maxLeased`, so up to 9/4 of it may be leased.
 */
export function createLeaseCapacity({ maxLeased }: { maxLeased: number }): LeaseCapacity {
  const counts = { ingest: 0, claim: 0 };
  const waiting: (() => void)[] = [];
  let isClosed = false;

  const total = () => counts.ingest + counts.claim;
  const availableLeases = (origin: LeaseOrigin) => {
    if (isClosed) return 0;
    return Math.max(0, Math.min(Math.ceil(maxLeased * maxShare) - counts[origin], maxLeased - total()));
  };
  const resume = (count: number) => {
    for (const end of waiting.splice(0, count)) end();
  };
  return {
    availableLeases,
    waitForIngestCapacity: () =>
      isClosed || availableLeases('ingest') > 0
        ? Promise.resolve()
        : new Promise((resolve) => void waiting.push(resolve)),
    acquire: (origin) => void counts[origin]++,
    release(origin) {
      counts[origin]--;
      // With no lease left, nothing would resume the other waiters later, so resume all now.
      resume(total() === 0 ? waiting.length : availableLeases('ingest'));
    },
    close() {
      isClosed = true;
      resume(waiting.length);
    },
  };
}
