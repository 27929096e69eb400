export type SemaphoreSettings = {
  /** Permits per key. */
  limit: number;
  /** Callers per key that may wait for a permit. */
  maxWaiting: number;
  maxWaitMs: number;
};

/** Releases a permit. Calling it again has no effect. */
export type Release = () => void;

/**
 * Acquires a permit for a key. Waiting callers get permits in the order of arrival. Null when `maxWaiting` callers
 * already wait, when the wait times out, or when `signal` is aborted.
 */
export type Acquire = (key: string, signal?: AbortSignal) => Promise<Release | null>;

type Waiter = (release: Release | null) => void;
type KeyState = { inUse: number; waiting: Set<Waiter> };

/** Creates a semaphore with a limit per key, within this process. */
export function createKeyedSemaphore({ limit, maxWaiting, maxWaitMs }: SemaphoreSettings): Acquire {
  const states = new Map<string, KeyState>();

  const createRelease = (key: string, state: KeyState): Release => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const [next] = state.waiting;
      // The permit goes directly to the next waiter, so that a new caller cannot overtake it.
      if (next) next(createRelease(key, state));
      else if (--state.inUse === 0) states.delete(key);
    };
  };
  const wait = (state: KeyState, signal?: AbortSignal) =>
    new Promise<Release | null>((resolve) => {
      const settle: Waiter = (release) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        state.waiting.delete(settle);
        resolve(release);
      };
      const cancel = () => settle(null);
      const timer = setTimeout(cancel, maxWaitMs);
      signal?.addEventListener('abort', cancel);
      state.waiting.add(settle);
    });
  return async (key, signal) => {
    if (signal?.aborted) return null;
    const state = states.get(key) ?? { inUse: 0, waiting: new Set() };
    states.set(key, state);
    if (state.inUse < limit) {
      state.inUse++;
      return createRelease(key, state);
    }
    return state.waiting.size < maxWaiting ? wait(state, signal) : null;
  };
}
