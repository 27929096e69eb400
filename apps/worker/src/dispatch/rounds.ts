import { setTimeout as sleep } from 'node:timers/promises';

export type Rounds = {
  /** Starts the next round at once, or when the current one has ended. */
  wake(): void;
  /** Resolves when the current round has ended. No other one starts. */
  close(): Promise<void>;
};

// A round takes at least this long, so that each claims several deliveries under load.
const minRoundMs = 2;
// A round starts at least this often, which bounds the delay after a lost wake-up.
const maxIdleMs = 1_000;

/** Repeats rounds. `runRound` never throws, and resolves with the time in ms after which the next round starts. */
export function startRounds(runRound: () => Promise<number>): Rounds {
  let isClosed = false;
  let isWoken = false;
  let endIdle = () => {};
  const wake = () => {
    isWoken = true;
    endIdle();
  };
  const idle = async (ms: number) => {
    const abort = new AbortController();
    const awoken = new Promise<void>((resolve) => (endIdle = resolve));
    await Promise.race([sleep(ms, undefined, abort).catch(() => undefined), awoken]);
    abort.abort();
  };
  const loop = (async () => {
    while (!isClosed) {
      isWoken = false;
      const startedAt = performance.now();
      const idleMs = Math.min(maxIdleMs, await runRound());
      await sleep(Math.max(0, minRoundMs - (performance.now() - startedAt)));
      if (!isWoken && idleMs > 0) await idle(idleMs);
    }
  })();
  return {
    wake,
    close() {
      isClosed = true;
      wake();
      return loop;
    },
  };
}
