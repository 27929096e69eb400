/** What may ask the launcher to stop. */
export type StopRequests = { onStop: (reason: string) => void; onForce: () => void };

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens for what ends a foreground command: a signal, or the end of the npm that runs it. A signal that comes more
 * than a second after the first asks to give up waiting; sooner it is the same Ctrl-C, which the terminal sends and
 * npm passes on. Returns how to stop listening.
 */
export function listenForStop({ onStop, onForce }: StopRequests): () => void {
  let askedAt: number | undefined;
  const ask = (reason: string) => {
    if (askedAt !== undefined && Date.now() - askedAt > 1_000) return onForce();
    if (askedAt === undefined) onStop(reason);
    askedAt ??= Date.now();
  };
  for (const signal of signals) process.on(signal, ask);
  const parent = process.ppid;
  const watch = process.env.npm_lifecycle_event
    ? setInterval(() => process.ppid !== parent && onStop('npm ended'), 250)
    : undefined;
  return () => {
    for (const signal of signals) process.off(signal, ask);
    clearInterval(watch);
  };
}
