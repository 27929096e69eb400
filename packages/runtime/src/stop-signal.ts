/**
 * Aborts at the first SIGINT or SIGTERM. One that comes within a second is the same Ctrl-C, which the terminal sends and
 * npm passes on; a later one ends the process at once.
 */
export function openStopSignal(): AbortSignal {
  const stop = new AbortController();
  let askedAt: number | undefined;
  const ask = () => {
    if (askedAt !== undefined && Date.now() - askedAt > 1_000) process.exit(1);
    askedAt ??= Date.now();
    stop.abort();
  };
  process.on('SIGINT', ask);
  process.on('SIGTERM', ask);
  return stop.signal;
}
