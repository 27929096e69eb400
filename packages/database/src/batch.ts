import { isDatabaseUnavailable } from './unavailable.js';

/** The maximum items of a statement, where nothing asks for another number. */
export const batchSize = 200;

export type BatchOptions = {
  /** Maximum items in one call. */
  maxSize: number;
  /** Maximum calls at once; 2 when absent. */
  maxConcurrent?: number;
  /** How long the first item waits for others, where no caller waits for the result; 0 when absent. */
  lingerMs?: number;
  /** Whether an error concerns all items of a call, which then all fail with it. `isDatabaseUnavailable` when absent. */
  isShared?: (error: unknown) => boolean;
};

type Waiting<I, O> = { item: I; resolve: (output: O) => void; reject: (error: unknown) => void };

/**
 * Combines single calls into batches. A call never waits for a batch to fill: the first one goes at once, and calls that
 * arrive while it runs go together in the next batch. `act` returns a result for each item in order. When a batch fails,
 * its items are tried one by one, so that one bad item does not fail the others, unless the error concerns all of them.
 */
export function batched<I, O>(
  act: (items: I[]) => Promise<O[]>,
  { maxSize, maxConcurrent = 2, lingerMs = 0, isShared = isDatabaseUnavailable }: BatchOptions,
): (item: I) => Promise<O> {
  let waiting: Waiting<I, O>[] = [];
  let running = 0;
  let scheduled = false;

  const startBatches = () => {
    scheduled = false;
    while (running < maxConcurrent && waiting.length > 0) {
      const batch = waiting.slice(0, maxSize);
      waiting = waiting.slice(maxSize);
      running++;
      void run(act, batch, isShared).finally(() => {
        running--;
        if (lingerMs === 0) startBatches();
        else if (waiting.length > 0) schedule();
      });
    }
  };
  const schedule = () => {
    if (scheduled || running >= maxConcurrent) return;
    scheduled = true;
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

async function run<I, O>(
  act: (items: I[]) => Promise<O[]>,
  batch: Waiting<I, O>[],
  isShared: (error: unknown) => boolean,
): Promise<void> {
  try {
    const outputs = await act(batch.map(({ item }) => item));
    batch.forEach(({ resolve, reject }, index) => {
      if (index < outputs.length) resolve(outputs[index] as O);
      else reject(new Error('a batch returned too few results'));
    });
  } catch (error) {
    if (batch.length === 1 || isShared(error)) return batch.forEach(({ reject }) => reject(error));
    for (const waitingItem of batch) await run(act, [waitingItem], isShared);
  }
}
