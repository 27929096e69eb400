/**
 * Acts every so often, never twice at once, until the returned function is called, which resolves when what is under way
 * is done. `first` is done at once, before the others. Neither may throw.
 */
export function regularly(
  everyMs: number,
  act: () => Promise<unknown>,
  first: () => Promise<unknown> = () => Promise.resolve(),
): () => Promise<void> {
  let running: Promise<void> | undefined;
  const begin = (what: () => Promise<unknown>) => {
    running ??= what().then(() => void (running = undefined));
  };
  begin(first);
  const timer = setInterval(() => begin(act), everyMs);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
