import { setTimeout as sleep } from 'node:timers/promises';

/** Runs rounds. A round is one call of `runRound`. */
export type PollLoop = {
  /** Starts the next round at once, or when the current one has ended. */
  wake(): void;
  /** Starts no more rounds. Resolves when the current one has ended. */
  stop(): Promise<void>;
};

// A round takes at least this long, so that each claims several deliveries under load.
const minRoundMs = 2;
// The longest idle time between two rounds.
const maxIdleMs = 1_000;

/**
 * Calls `runRound` in a loop. `runRound` resolves with the time in ms until its next call; 1 s at most is waited, and
 * `wake` shortens the wait. `runRound` must not throw.
 */
export function startPollLoop(runRound: () => Promise<number>): PollLoop {
  let isStopped = false;
  let isWoken = false;
  let endIdle = () => {};
  const wake = () => {
    isWoken = true;
    endIdle();
  };
  const idle = async (ms: number) => {
    const abort = new AbortController();
    const woken = new Promise<void>((resolve) => (endIdle = resolve));
    await Promise.race([sleep(ms, undefined, abort).catch(() => undefined), woken]);
    abort.abort();
  };
  const loop = (async () => {
    while (!isStopped) {
      isWoken = false;
      const startedAtMonotonicMs = performance.now();
      const idleMs = Math.min(maxIdleMs, await runRound());
      await sleep(Math.max(0, minRoundMs - (performance.now() - startedAtMonotonicMs)));
      if (!isWoken && idleMs > 0) await idle(idleMs);
    }
  })();
  return {
    wake,
    stop() {
      isStopped = true;
      wake();
      return loop;
    },
  };
}
