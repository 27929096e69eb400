/** Knows, without a call to the engine, whether a worker's next fetch may be left out. */
export type FetchTracker = {
  /** Whether the queue has neither waiting nor delayed jobs. False if that is not known. */
  isEmpty(): boolean;
  /**
   * Whether the worker's next fetch must not be left out: the worker's wait for BullMQ's marker has ended since the
   * last fetch, or will end before the next one. A marker announces a new job to one worker only.
   */
  mustFetch(): boolean;
  /** Notes whether a fetch found a job. */
  noteFetch(hasJob: boolean): void;
};

/** Creates the tracker for PostgreSQL, and for those Redis queues whose scripts are not rewritten. */
export function createFetchTracker(): FetchTracker {
  let mustFetch = false;
  return {
    isEmpty: () => false,
    // After an empty fetch, BullMQ fetches again only when a marker or a timeout has ended its wait.
    mustFetch: () => mustFetch,
    noteFetch: (hasJob) => (mustFetch = !hasJob),
  };
}
