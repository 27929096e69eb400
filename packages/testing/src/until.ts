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
