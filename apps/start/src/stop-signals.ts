export type StopHandlers = { onStop: (reason: string) => void; onForce: () => void };

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens for SIGINT, SIGTERM and SIGHUP (`scripts/end-with-npm.mjs` sends one when npm has ended). The first calls
 * `onStop`. One that comes more than a second later calls `onForce`; an earlier one is the same Ctrl-C, which the terminal
 * sends and npm passes on. Returns a function that stops listening.
 */
export function listenForStop({ onStop, onForce }: StopHandlers): () => void {
  let firstAt: number | undefined;
  const onSignal = (reason: string) => {
    if (firstAt !== undefined && Date.now() - firstAt > 1_000) return onForce();
    if (firstAt === undefined) onStop(reason);
    firstAt ??= Date.now();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}
