/**
 * Creates a function that runs work on at most `maxBytes` bytes at once, in the order of the calls. Work on more bytes
 * runs alone.
 */
export function createByteSemaphore(maxBytes: number) {
  const waiting: { bytes: number; start: () => void }[] = [];
  let used = 0;
  const startWaiting = () => {
    let [next] = waiting;
    while (next && (used === 0 || used + next.bytes <= maxBytes)) {
      waiting.shift();
      used += next.bytes;
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
      used -= bytes;
      startWaiting();
    }
  };
}
