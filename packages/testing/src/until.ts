import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves as soon as the state holds; rejects after 20 s. */
export async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (const deadline = Date.now() + 20_000; !(await holds()); await sleep(10)) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
  }
}
