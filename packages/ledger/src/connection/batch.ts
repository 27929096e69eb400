import { isTransientDatabaseError } from './database-errors.js';

/** The `maxSize` of batches that have no reason for another one. */
export const defaultBatchSize = 200;

export type BatchOptions = {
  maxSize: number;
  /** Maximum concurrent batches; 2 when absent. */
  maxConcurrent?: number;
  /**
   * How long a batch waits for more items, unless it is full when the wait begins. The first caller waits this
   * long, later ones less. 0 when absent.
   */
  lingerMs?: number;
  /**
   * Whether all items of a batch fail with an error. `isTransientDatabaseError` when absent.
   */
  failsWholeBatch?: (error: unknown) => boolean;
};

type WaitingItem<I, O> = { item: I; resolve: (output: O) => void; reject: (error: unknown) => void };

/**
 * Combines calls for one item each into batches. The calls of one turn of the event loop share a batch, unless
 * `lingerMs` makes it wait for more. Calls that arrive while `maxConcurrent` batches run share the next one.
 *
 * `runBatch` returns a result for each item, in order. If it returns fewer results than items, it is called again with
 * the rest. If a batch fails, its items are tried one by one, so that one bad item does not fail the others, except
 * after an error of `failsWholeBatch`.
 */
export function createBatcher<I, O>(
  runBatch: (items: I[]) => Promise<O[]>,
  { maxSize, maxConcurrent = 2, lingerMs = 0, failsWholeBatch = isTransientDatabaseError }: BatchOptions,
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
      void settleBatch(runBatch, batch, failsWholeBatch).finally(() => {
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
  failsWholeBatch: (error: unknown) => boolean,
): Promise<void> {
  let left = batch;
  try {
    while (left.length > 0) {
      const outputs = await runBatch(left.map(({ item }) => item));
      if (outputs.length === 0) throw new Error('a batch returned no results');
      outputs.forEach((output, index) => left[index]?.resolve(output));
      left = left.slice(outputs.length);
    }
  } catch (error) {
    if (left.length === 1 || failsWholeBatch(error)) return left.forEach(({ reject }) => reject(error));
    for (const waitingItem of left) await settleBatch(runBatch, [waitingItem], failsWholeBatch);
  }
}
