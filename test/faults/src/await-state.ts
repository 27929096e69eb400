import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until the answer is not undefined or false, and resolves with it. Rejects after `withinMs`, saying
 * what was waited for.
 */
export async function awaitState<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 30_000, everyMs = 50 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  for (const deadline = performance.now() + withinMs; ; await sleep(everyMs)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`not within ${Math.round(withinMs / 1_000)} s: ${what}`);
  }
}
