const maxTimerMs = 2 ** 31 - 1;

/**
 * Lets work on at most `maxBytes` bytes run at once, in the order of the calls. Work on more bytes than that runs
 * alone.
 */
export class ByteSemaphore {
  readonly #maxBytes: number;
  readonly #waiting = new Map<() => void, number>();
  #usedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Resolves with true once the bytes are acquired, which a call of `release` must follow; with false if they are not
   * by `untilMonotonicMs`, a time of `performance.now()`.
   */
  acquire(bytes: number, untilMonotonicMs = Infinity): Promise<boolean> {
    return new Promise((resolve) => {
      const start = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const giveUp = () => {
        this.#waiting.delete(start);
        resolve(false);
        // Those that are behind it may need less.
        this.#startWaiting();
      };
      const timer =
        untilMonotonicMs === Infinity
          ? undefined
          : setTimeout(giveUp, Math.min(untilMonotonicMs - performance.now(), maxTimerMs));
      this.#waiting.set(start, bytes);
      this.#startWaiting();
    });
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes;
    this.#startWaiting();
  }

  /** Runs work while it has acquired the bytes. */
  async run<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    await this.acquire(bytes);
    try {
      return await work();
    } finally {
      this.release(bytes);
    }
  }

  #startWaiting(): void {
    for (const [start, bytes] of this.#waiting) {
      if (this.#usedBytes > 0 && this.#usedBytes + bytes > this.#maxBytes) return;
      this.#waiting.delete(start);
      this.#usedBytes += bytes;
      start();
    }
  }
}
