/** Knows, without a call to the engine, whether a worker's next fetch can find a job. */
export type FetchTracker = {
  /** Whether the queue has no job. False if that is not known. */
  isEmpty(): boolean;
  /**
   * Whether the worker must fetch: BullMQ's marker, which announces a new job, has ended its wait, and it has not
   * fetched since. Each marker wakes one worker only.
   */
  isWoken(): boolean;
  /** Notes whether a fetch found a job. */
  noteFetch(hasJob: boolean): void;
};

/** Creates the tracker for PostgreSQL, and for those Redis queues whose scripts are not rewritten. */
export function createFetchTracker(): FetchTracker {
  let isWoken = false;
  return {
    isEmpty: () => false,
    // After an empty fetch, BullMQ fetches again only when a marker or a timeout has ended its wait.
    isWoken: () => isWoken,
    noteFetch: (hasJob) => (isWoken = !hasJob),
  };
}
