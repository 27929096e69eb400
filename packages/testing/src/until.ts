import { setTimeout as sleep } from 'node:timers/promises';

type Missing = undefined | false;

/**
 * Looks every `everyMs` until there is something else than undefined or false, and resolves with it. Rejects after
 * `withinMs` with what was waited for.
 */
export async function until<T>(
  look: () => T | Missing | Promise<T | Missing>,
  what: string | (() => string) = 'it is so',
  withinMs = 100_000,
  everyMs = 10,
): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; await sleep(everyMs)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain until ${typeof what === 'string' ? what : what()}`);
  }
}
