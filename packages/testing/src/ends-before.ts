import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves with the result of `act`; rejects when a timer of `ms` ends first. The timer starts with `act` in the same
 * event loop, so a busy machine delays both, and their order stays.
 */
export async function endsBefore<T>(ms: number, act: () => Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, timer)
    // What is due at the same time gets its turn.
    .then(() => sleep(100, undefined, timer))
    .then(() => Promise.reject(new Error(`a timer of ${ms} ms ended first`)));
  return Promise.race([act(), late]).finally(() => {
    timer.abort();
    late.catch(() => undefined);
  });
}
