import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves as soon as the state holds; rejects after 20 s, or after `withinMs`. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, withinMs = 20_000): Promise<void> {
  for (const deadline = Date.now() + withinMs; !(await holds()); await sleep(10)) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
  }
}
