/** `stored`: leased when this worker stored its event. `claimed`: claimed from the database. */
export type LeaseOrigin = 'stored' | 'claimed';

/** Counts the leases that this worker holds, and says how many more it may request. */
export type LeaseCapacity = {
  /** How many more deliveries of this origin may be leased. */
  available(origin: LeaseOrigin): number;
  /** Resolves when deliveries of new events may be leased, or when the capacity is closed. */
  waitUntilAvailable(): Promise<void>;
  /** Counts a lease that has started. It may exceed the capacity. */
  acquire(origin: LeaseOrigin): void;
  /** Counts the end of a lease. */
  release(origin: LeaseOrigin): void;
  /** Leaves no capacity, and ends all waits. */
  close(): void;
};

// Stored and claimed deliveries each get at most this share of `maxLeased`, so about a quarter is left for the others.
const maxShare = 3 / 4;

/** `maxLeased`: target maximum. Concurrent requests for leases may exceed it slightly. */
export function createLeaseCapacity({ maxLeased }: { maxLeased: number }): LeaseCapacity {
  const counts = { stored: 0, claimed: 0 };
  const waiting: (() => void)[] = [];
  let isClosed = false;

  const total = () => counts.stored + counts.claimed;
  const available = (origin: LeaseOrigin) => {
    if (isClosed) return 0;
    return Math.max(0, Math.min(Math.ceil(maxLeased * maxShare) - counts[origin], maxLeased - total()));
  };
  const resume = (count: number) => {
    for (const end of waiting.splice(0, count)) end();
  };
  return {
    available,
    waitUntilAvailable: () =>
      isClosed || available('stored') > 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve)),
    acquire: (origin) => void counts[origin]++,
    release(origin) {
      counts[origin]--;
      // After the last lease no other will end and resume the remaining waits, so all are resumed.
      resume(total() === 0 ? waiting.length : available('stored'));
    },
    close() {
      isClosed = true;
      resume(waiting.length);
    },
  };
}
