/**
 * Creates a function that runs work on at most `maxBytes` bytes at once, in the order of the calls. Work on more
 * than `maxBytes` runs alone.
 */
export function createByteSemaphore(maxBytes: number) {
  const waiting: { bytes: number; start: () => void }[] = [];
  let usedBytes = 0;
  const startWaiting = () => {
    let [next] = waiting;
    while (next && (usedBytes === 0 || usedBytes + next.bytes <= maxBytes)) {
      waiting.shift();
      usedBytes += next.bytes;
      next.start();
      [next] = waiting;
    }
  };
  return async <T>(bytes: number, work: () => Promise<T>): Promise<T> => {
    await new Promise<void>((start) => {
      waiting.push({ bytes, start });
      startWaiting();
    });
    try {
      return await work();
    } finally {
      usedBytes -= bytes;
      startWaiting();
    }
  };
}
