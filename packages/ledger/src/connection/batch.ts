import { isTransientDatabaseError, type RetryWhileUnavailable } from './database-errors.js';

const defaultMaxSize = 200;

export type BatchOptions = {
  /** Maximum items of a batch; 200 when absent. */
  maxSize?: number;
  /** Maximum concurrent batches; 2 when absent. */
  maxConcurrent?: number;
  /**
   * How long a batch waits for more items, unless it is full when the wait begins. The first caller waits this
   * long, later ones less. 0 when absent.
   */
  lingerMs?: number;
  /** Whether all items of a batch fail with an error. `isTransientDatabaseError` when absent. */
  failsWholeBatch?: (error: unknown) => boolean;
  /** Repeats the calls that fail while PostgreSQL is unavailable. When absent, they fail. */
  retry?: RetryWhileUnavailable;
  /** Called with the number of items when a batch starts. */
  onBatch?: (size: number) => void;
};

type WaitingItem<I, O> = { item: I; isRetry: boolean; resolve: (output: O) => void; reject: (error: unknown) => void };

/**
 * Combines calls for one item each into batches. The calls of one turn of the event loop share a batch, unless
 * `lingerMs` makes it wait for more. Calls that arrive while `maxConcurrent` batches run share the next one.
 *
 * `runBatch` returns a result for each item, in order. If it returns fewer results than items, it is called again with
 * the rest. If a batch fails, its items are tried one by one, so that one bad item does not fail the others, except
 * after an error of `failsWholeBatch`.
 */
export class Batcher<I, O> {
  readonly #runBatch: (items: I[]) => Promise<O[]>;
  readonly #options: BatchOptions;
  readonly #maxSize: number;
  readonly #maxConcurrent: number;
  readonly #lingerMs: number;
  readonly #startBatches = () => {
    this.#isScheduled = false;
    while (this.#runningCount < this.#maxConcurrent && this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, this.#maxSize);
      this.#waiting = this.#waiting.slice(this.#maxSize);
      void this.#runToEnd(batch);
    }
  };
  #waiting: WaitingItem<I, O>[] = [];
  #runningCount = 0;
  #isScheduled = false;

  constructor(runBatch: (items: I[]) => Promise<O[]>, options: BatchOptions = {}) {
    this.#runBatch = runBatch;
    this.#options = options;
    this.#maxSize = options.maxSize ?? defaultMaxSize;
    this.#maxConcurrent = options.maxConcurrent ?? 2;
    this.#lingerMs = options.lingerMs ?? 0;
  }

  /** Resolves with the result for an item. */
  run(item: I): Promise<O> {
    return this.#add(item, false);
  }

  #add(item: I, isRetry: boolean): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, isRetry, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#runningCount >= this.#maxConcurrent) return;
    this.#isScheduled = true;
    // Items that arrive in the same turn of the event loop join the batch.
    if (this.#lingerMs === 0 || this.#waiting.length >= this.#maxSize) setImmediate(this.#startBatches);
    else setTimeout(this.#startBatches, this.#lingerMs);
  }

  async #runToEnd(batch: WaitingItem<I, O>[]): Promise<void> {
    this.#runningCount++;
    await this.#settle(batch);
    this.#runningCount--;
    if (this.#lingerMs === 0) this.#startBatches();
    else if (this.#waiting.length > 0) this.#schedule();
  }

  /** Runs a batch, and its items one by one if that is necessary. Settles the promise of each item. */
  async #settle(batch: WaitingItem<I, O>[]): Promise<void> {
    const { onBatch, failsWholeBatch = isTransientDatabaseError } = this.#options;
    let left = batch;
    try {
      while (left.length > 0) {
        onBatch?.(left.length);
        const outputs = await this.#runBatch(left.map(({ item }) => item));
        if (outputs.length === 0) throw new Error('a batch returned no results');
        outputs.forEach((output, index) => left[index]?.resolve(output));
        left = left.slice(outputs.length);
      }
    } catch (error) {
      if (left.length > 1 && !failsWholeBatch(error)) for (const waiting of left) await this.#settle([waiting]);
      else for (const waiting of left) this.#fail(waiting, error);
    }
  }

  #fail({ item, isRetry, resolve, reject }: WaitingItem<I, O>, error: unknown): void {
    const { retry } = this.#options;
    if (isRetry || !retry || !isTransientDatabaseError(error)) reject(error);
    else retry(() => this.#add(item, true)).then(resolve, reject);
  }
}
