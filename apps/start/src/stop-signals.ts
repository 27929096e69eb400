import { createStopHandler } from '@ringback/runtime';

export type StopHandlers = { onStop: (reason: string) => void; onForcedStop: () => void };

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Listens for SIGINT, SIGTERM and SIGHUP (`scripts/end-with-npm.cjs` sends SIGTERM when npm has ended). The first
 * signal calls `onStop`. A signal more than a second later calls `onForcedStop`. Returns a function that stops
 * listening.
 */
export function listenForStop({ onStop, onForcedStop }: StopHandlers): () => void {
  const onSignal = createStopHandler(onStop, onForcedStop);
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}
