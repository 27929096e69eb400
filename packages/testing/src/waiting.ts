import { setTimeout as sleep } from 'node:timers/promises';

type Pending = undefined | false;

/**
 * Calls `check` every `everyMs` until its result is neither undefined nor false, and resolves with the result. Rejects
 * after `withinMs` with an error that names `expected`, which has not happened.
 */
export async function until<T>(
  check: () => T | Pending | Promise<T | Pending>,
  expected: string | (() => string) = 'the condition is true',
  withinMs = 100_000,
  everyMs = 10,
): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; await sleep(everyMs)) {
    const result = await check();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > deadline)
      throw new Error(
        `timed out after ${withinMs} ms, waiting until ${typeof expected === 'string' ? expected : expected()}`,
      );
  }
}

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
