/** Work that a process repeats. */
export type PeriodicTask = {
  /** Starts no more runs. Resolves when the current one has ended. */
  stop(): Promise<void>;
};

type PeriodicTaskOptions = {
  intervalMs: number;
  run(): Promise<unknown>;
  /** Called once, at the start. */
  runAtStart?(): Promise<unknown>;
};

/**
 * Calls `run` every `intervalMs`, except while the previous call (of `run` or `runAtStart`) has not ended. Neither may
 * throw.
 */
export function runEvery({ intervalMs, run, runAtStart }: PeriodicTaskOptions): PeriodicTask {
  let running: Promise<void> | undefined;
  const start = (task: () => Promise<unknown>) => {
    running ??= task().then(() => void (running = undefined));
  };
  if (runAtStart) start(runAtStart);
  const timer = setInterval(() => start(run), intervalMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
