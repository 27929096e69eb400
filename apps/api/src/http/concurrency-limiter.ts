export type ConcurrencyLimit = {
  /** Permits of one key at the same time. */
  limit: number;
  /** Callers of one key that may wait for a permit. */
  maxWaiting: number;
  /** How long each of them waits. */
  maxWaitMs: number;
};

/** Gives a permit back; a second call does nothing. */
export type Release = () => void;

/** Waits for a permit of a key, in the order of arrival. Null when there is none in time, or once `gone` is aborted. */
export type Acquire = (key: string, gone?: AbortSignal) => Promise<Release | null>;

type Waiter = (release: Release | null) => void;
type Line = { underWay: number; waiting: Set<Waiter> };

/** Limits how many of each key are under way in this process. */
export function createConcurrencyLimiter({ limit, maxWaiting, maxWaitMs }: ConcurrencyLimit): Acquire {
  const lines = new Map<string, Line>();

  const createRelease = (key: string, line: Line): Release => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = line.waiting;
      // The permit goes from hand to hand, so that a newcomer cannot overtake those that wait.
      if (next) next(createRelease(key, line));
      else if (--line.underWay === 0) lines.delete(key);
    };
  };
  const wait = (line: Line, gone?: AbortSignal) =>
    new Promise<Release | null>((resolve) => {
      const settle: Waiter = (release) => {
        clearTimeout(timer);
        gone?.removeEventListener('abort', leave);
        line.waiting.delete(settle);
        resolve(release);
      };
      const leave = () => settle(null);
      const timer = setTimeout(leave, maxWaitMs);
      gone?.addEventListener('abort', leave);
      line.waiting.add(settle);
    });
  return async (key, gone) => {
    if (gone?.aborted) return null;
    const line = lines.get(key) ?? { underWay: 0, waiting: new Set() };
    lines.set(key, line);
    if (line.underWay < limit) {
      line.underWay++;
      return createRelease(key, line);
    }
    return line.waiting.size < maxWaiting ? wait(line, gone) : null;
  };
}
