import { setTimeout as sleep } from 'node:timers/promises';

const timeoutMs = 2_000;
const cacheMs = 1_000;

/**
 * Wraps a measurement so that it starts at most once a second. Calls within a second after its start share its result.
 * The result is undefined if the measurement fails or takes longer than 2 s, so a scrape gets a response even while the
 * database is unavailable.
 */
export function createMeasurement<T>(measure: () => Promise<T>): () => Promise<T | undefined> {
  let latest: { result: Promise<T | undefined>; startedAtMonotonicMs: number } | undefined;
  return () => {
    if (latest && performance.now() - latest.startedAtMonotonicMs < cacheMs) return latest.result;
    const timeout = sleep(timeoutMs, undefined, { ref: false });
    const result = Promise.race([measure(), timeout]).catch(() => undefined);
    latest = { result, startedAtMonotonicMs: performance.now() };
    return result;
  };
}

/**
 * Wraps a check so that it starts at most once a second, as `createMeasurement` does. The result is true if the check
 * resolves, and false if it rejects or takes longer than 2 s.
 */
export function createHealthCheck(check: () => Promise<unknown>): () => Promise<boolean> {
  const measure = createMeasurement(() => check().then(() => true));
  return async () => (await measure()) ?? false;
}
