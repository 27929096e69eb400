import { createStopHandler } from '@ringback/runtime';

/**
 * Creates an AbortSignal that aborts at the first SIGINT or SIGTERM, so that the command can finish. A further SIGINT
 * or SIGTERM is ignored within one second after the first one; later it ends the process at once, with exit code 1.
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
