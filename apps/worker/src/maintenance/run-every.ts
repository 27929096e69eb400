/**
 * Runs an act every `intervalMs`, never twice at the same time, and `first` once at the start. Neither may throw. The
 * returned function stops it, and resolves when the running act has ended.
 */
export function runEvery(
  intervalMs: number,
  act: () => Promise<unknown>,
  first: () => Promise<unknown> = () => Promise.resolve(),
): () => Promise<void> {
  let running: Promise<void> | undefined;
  const run = (next: () => Promise<unknown>) => {
    running ??= next().then(() => void (running = undefined));
  };
  run(first);
  const timer = setInterval(() => run(act), intervalMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
