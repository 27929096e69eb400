import { isTransientDatabaseError } from '../connection/database-errors.js';

/** The maximum number of items in a statement, unless there is a reason for another number. */
export const defaultBatchSize = 200;

/** How calls are combined. */
export type BatchOptions = {
  /** Maximum items in one batch. */
  maxSize: number;
  /** Maximum concurrent batches; 2 when absent. */
  maxConcurrent?: number;
  /** How long a batch waits to fill. Its callers wait as long. 0 when absent. */
  lingerMs?: number;
  /**
   * Whether an error concerns the whole batch, whose items then all fail with it. `isTransientDatabaseError` when
   * absent.
   */
  concernsWholeBatch?: (error: unknown) => boolean;
};

type Waiting<I, O> = { item: I; resolve: (output: O) => void; reject: (error: unknown) => void };

/**
 * Combines function calls for one item each into batches. Without `lingerMs`, a call never waits for a batch to fill:
 * it starts a batch at once, unless `maxConcurrent` batches are running. Calls that arrive meanwhile share the next
 * batch. `runBatch` returns a result for each item, in order. When a batch fails, its items are tried one by one, so
 * that one bad item does not fail the others. If the error concerns all of them, they all fail with it.
 */
export function createBatcher<I, O>(
  runBatch: (items: I[]) => Promise<O[]>,
  { maxSize, maxConcurrent = 2, lingerMs = 0, concernsWholeBatch = isTransientDatabaseError }: BatchOptions,
): (item: I) => Promise<O> {
  let waiting: Waiting<I, O>[] = [];
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

/** Runs a batch and settles the promise of each item. */
async function settleBatch<I, O>(
  runBatch: (items: I[]) => Promise<O[]>,
  batch: Waiting<I, O>[],
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
