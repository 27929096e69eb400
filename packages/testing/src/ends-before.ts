import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Settles like `act()`, but rejects if a timer of `ms`, and then one of 100 ms, end first. `act` and the timers start
 * at the same time in the same event loop, so a busy machine delays both and does not change their order.
 */
export async function endsBefore<T>(ms: number, act: () => Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, timer)
    // Gives time to events that are due at the same time as the first timer.
    .then(() => sleep(100, undefined, timer))
    .then(() => Promise.reject(new Error(`a timer of ${ms} ms ended first`)));
  return Promise.race([act(), late]).finally(() => {
    timer.abort();
    late.catch(() => undefined);
  });
}
