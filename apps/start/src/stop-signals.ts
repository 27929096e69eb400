export type StopHandlers = { onStop: (reason: string) => void; onForcedStop: () => void };

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens for SIGINT, SIGTERM and SIGHUP (`scripts/end-with-npm.mjs` sends SIGTERM when npm has ended). The first
 * signal calls `onStop`. A signal more than a second later calls `onForcedStop`. An earlier one is ignored: it is the
 * same Ctrl-C, which the terminal sends and npm passes on. Returns a function that stops listening.
 */
export function listenForStop({ onStop, onForcedStop }: StopHandlers): () => void {
  let firstAt: number | undefined;
  const onSignal = (reason: string) => {
    if (firstAt !== undefined && Date.now() - firstAt > 1_000) return onForcedStop();
    if (firstAt === undefined) onStop(reason);
    firstAt ??= Date.now();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}
