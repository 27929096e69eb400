/** Knows, without a call to the engine, whether a worker's next fetch can find a job. */
export type FetchTracker = {
  /** Whether no job waits, delayed ones included. False if that is not known. */
  isEmpty(): boolean;
  /**
   * Whether the worker must fetch: its wait for BullMQ's marker has ended, and it has not fetched since. A marker
   * announces a new job to one worker only.
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
