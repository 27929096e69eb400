/** What may ask the launcher to stop. */
export type StopRequests = { onStop: (reason: string) => void; onForce: () => void };

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens for the signals that end a foreground command (`scripts/end-with-npm.mjs` sends one when npm has ended). A
 * signal that comes more than a second after the first asks to give up waiting; sooner it is the same Ctrl-C, which the
 * terminal sends and npm passes on. Returns how to stop listening.
 */
export function listenForStop({ onStop, onForce }: StopRequests): () => void {
  let askedAt: number | undefined;
  const ask = (reason: string) => {
    if (askedAt !== undefined && Date.now() - askedAt > 1_000) return onForce();
    if (askedAt === undefined) onStop(reason);
    askedAt ??= Date.now();
  };
  for (const signal of signals) process.on(signal, ask);
  return () => {
    for (const signal of signals) process.off(signal, ask);
  };
}
