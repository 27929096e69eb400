// A terminal sends Ctrl-C to the whole process group, and npm passes it on, so one Ctrl-C arrives twice within
// milliseconds.
const duplicateSignalWindowMs = 1_000;

/**
 * Creates a signal that aborts at the first SIGINT or SIGTERM, so that a command can finish. A further signal more than
 * one second later exits with code 1 at once.
 */
export function createStopSignal(): AbortSignal {
  const controller = new AbortController();
  let firstAt: number | undefined;
  const onSignal = () => {
    if (firstAt !== undefined && Date.now() - firstAt > duplicateSignalWindowMs) process.exit(1);
    firstAt ??= Date.now();
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return controller.signal;
}
