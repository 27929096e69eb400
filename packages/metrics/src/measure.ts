import { setTimeout as sleep } from 'node:timers/promises';

const mostMs = 2_000;
const freshMs = 1_000;

/**
 * Measures when it is asked to, at most once a second; those who ask meanwhile share the answer. Undefined when the
 * measurement fails or takes longer than 2 s: a scrape is answered also while the database is away.
 */
export function measured<T>(act: () => Promise<T>): () => Promise<T | undefined> {
  let last: { value: Promise<T | undefined>; at: number } | undefined;
  return () => {
    if (last && performance.now() - last.at < freshMs) return last.value;
    const late = sleep(mostMs, undefined, { ref: false });
    const value = Promise.race([act(), late]).catch(() => undefined);
    last = { value, at: performance.now() };
    return value;
  };
}

/** Whether an act succeeds, measured in the same way; not when it takes too long. */
export function succeeds(act: () => Promise<unknown>): () => Promise<boolean> {
  const measure = measured(() => act().then(() => true));
  return async () => (await measure()) ?? false;
}
