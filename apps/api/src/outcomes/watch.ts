import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, findNewestOutcomePosition, type OutcomeCursor } from '@ringback/ledger';

const pollMs = 250;

type Waiter = { after: bigint; wake: () => void };

/**
 * Wakes requests that wait for outcomes. While some wait, one query every 250 ms serves them all, so a waiting request
 * has no connection to the database, and recording an attempt notifies nobody.
 */
export class OutcomeWatch {
  readonly #waiters = new Set<Waiter>();
  readonly #db: Database;
  readonly #onError: (error: unknown) => void;
  #isPolling = false;

  constructor(db: Database, onError: (error: unknown) => void) {
    this.#db = db;
    this.#onError = onError;
  }

  /** Resolves when there is an outcome after the cursor that readers may see, or when the signal aborts. */
  waitForMore(cursor: OutcomeCursor | null, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const waiter: Waiter = {
        // All rows of a position appear at once, and the reader has seen those of its cursor's.
        after: BigInt(cursor?.position ?? 0),
        wake: () => {
          this.#waiters.delete(waiter);
          signal.removeEventListener('abort', waiter.wake);
          resolve();
        },
      };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', waiter.wake);
      if (!this.#isPolling) void this.#poll();
    });
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#waiters.size > 0) {
      const newest = await findNewestOutcomePosition(this.#db).catch((error: unknown) => {
        this.#onError(error);
        return null;
      });
      for (const { after, wake } of this.#waiters) if (newest !== null && newest > after) wake();
      await sleep(pollMs);
    }
    this.#isPolling = false;
  }
}
