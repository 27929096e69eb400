import { isTransientDatabaseError } from '../connection/database-errors.js';

/** The `maxSize` of batches that have no reason for another one. */
export const defaultBatchSize = 200;

/** How calls are combined. */
export type BatchOptions = {
  /** Maximum items in one batch. */
  maxSize: number;
  /** Maximum concurrent batches; 2 when absent. */
  maxConcurrent?: number;
  /**
   * How long a batch waits for more items, unless it is full when the wait begins. Its callers wait as long. 0 when
   * absent.
   */
  lingerMs?: number;
  /**
   * Whether an error concerns the whole batch, whose items then all fail with it. `isTransientDatabaseError` when
   * absent.
   */
  concernsWholeBatch?: (error: unknown) => boolean;
};

type WaitingItem<I, O> = { item: I; resolve: (output: O) => void; reject: (error: unknown) => void };

/**
 * Combines function calls for one item each into batches. Without `lingerMs`, a call starts a batch at the end of its
 * turn of the event loop, unless `maxConcurrent` batches are running. Calls that arrive while they run share the next
 * batch. `runBatch` returns a result for each item, in order. An item without a result fails. When a batch fails, its
 * items are tried one by one, so that one bad item does not fail the others. If the error concerns the whole batch, all
 * items fail with it.
 */
export function createBatcher<I, O>(
  runBatch: (items: I[]) => Promise<O[]>,
  { maxSize, maxConcurrent = 2, lingerMs = 0, concernsWholeBatch = isTransientDatabaseError }: BatchOptions,
): (item: I) => Promise<O> {
  let waiting: WaitingItem<I, O>[] = [];
  let runningCount = 0;
  let isScheduled = false;

  const startBatches = () => {
    isScheduled = false;
    while (runningCount < maxConcurrent && waiting.length > 0) {
      const batch = waiting.slice(0, maxSize);
      waiting = waiting.slice(maxSize);
      runningCount++;
      void settleBatch(runBatch, batch, concernsWholeBatch).finally(() => {
        runningCount--;
        if (lingerMs === 0) startBatches();
        else if (waiting.length > 0) schedule();
      });
    }
  };
  const schedule = () => {
    if (isScheduled || runningCount >= maxConcurrent) return;
    isScheduled = true;
    // Items that arrive in the same turn of the event loop join the batch.
    if (lingerMs === 0 || waiting.length >= maxSize) setImmediate(startBatches);
    else setTimeout(startBatches, lingerMs);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      schedule();
    });
}

/** Runs a batch, and its items one by one if that is necessary. Settles the promise of each item. */
async function settleBatch<I, O>(
  runBatch: (items: I[]) => Promise<O[]>,
  batch: WaitingItem<I, O>[],
  concernsWholeBatch: (error: unknown) => boolean,
): Promise<void> {
  try {
    const outputs = await runBatch(batch.map(({ item }) => item));
    batch.forEach(({ resolve, reject }, index) => {
      if (index < outputs.length) resolve(outputs[index] as O);
      else reject(new Error('a batch returned too few results'));
    });
  } catch (error) {
    if (batch.length === 1 || concernsWholeBatch(error)) return batch.forEach(({ reject }) => reject(error));
    for (const waitingItem of batch) await settleBatch(runBatch, [waitingItem], concernsWholeBatch);
  }
}
