import { createStopHandler } from '@ringback/runtime';

/**
 * Creates a signal that aborts at the first SIGINT or SIGTERM, so that a command can finish. A further signal more than
 * one second later exits with code 1 at once.
 */
export function createStopSignal(): AbortSignal {
  const controller = new AbortController();
  const onSignal = createStopHandler(
    () => controller.abort(),
    () => process.exit(1),
  );
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return controller.signal;
}
