import { setTimeout as sleep } from 'node:timers/promises';

const timeoutMs = 2_000;
const cacheMs = 1_000;

/**
 * Wraps a measurement so that it runs at most once a second. Calls within that second share its result. The result is
 * undefined if the measurement fails or takes longer than 2 s, so a scrape gets a response even while the database is
 * unavailable.
 */
export function createMeasurement<T>(measure: () => Promise<T>): () => Promise<T | undefined> {
  let latest: { result: Promise<T | undefined>; startedAt: number } | undefined;
  return () => {
    if (latest && performance.now() - latest.startedAt < cacheMs) return latest.result;
    const timeout = sleep(timeoutMs, undefined, { ref: false });
    const result = Promise.race([measure(), timeout]).catch(() => undefined);
    latest = { result, startedAt: performance.now() };
    return result;
  };
}

/**
 * Wraps a check in the same way. The result is true if the check succeeds, and false if it fails or takes longer than 2
 * s.
 */
export function createHealthCheck(check: () => Promise<unknown>): () => Promise<boolean> {
  const measure = createMeasurement(() => check().then(() => true));
  return async () => (await measure()) ?? false;
}
