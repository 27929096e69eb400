/**
 * Runs a task every `intervalMs`, and `first` once at the start. A run is skipped while the one before has not ended.
 * Neither function may throw. The returned function stops the timer, and resolves when the current run has ended.
 */
export function runEvery(
  intervalMs: number,
  task: () => Promise<unknown>,
  first: () => Promise<unknown> = () => Promise.resolve(),
): () => Promise<void> {
  let running: Promise<void> | undefined;
  const run = (next: () => Promise<unknown>) => {
    running ??= next().then(() => void (running = undefined));
  };
  run(first);
  const timer = setInterval(() => run(task), intervalMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
