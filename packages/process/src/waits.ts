export const dayMs = 24 * 3_600_000;

/**
 * Settles like the promise, or after `ms` like `onTimeout()`. A result that arrived while the event loop was blocked
 * wins over the timeout.
 */
export async function withTimeout<T, L>(ms: number, promise: Promise<T>, onTimeout: () => L): Promise<T | L> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    // Timers run before I/O callbacks; setImmediate runs after them.
    timer = setTimeout(() => setImmediate(resolve), ms);
  });
  try {
    return await Promise.race([promise, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}

/** A wait of one caller that others can end early. */
export class EndableWait {
  #end = () => {};

  /** Resolves after `ms`, or when `end` is called. */
  async wait(ms: number): Promise<void> {
    if (ms <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  end(): void {
    this.#end();
  }
}
