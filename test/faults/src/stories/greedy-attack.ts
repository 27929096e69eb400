import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Greedy } from './greedy-calls.js';

export type Attack = { baseUrl: string; greedy: Greedy; connections: number };

/** Starts the calls of the greedy account; `answered` says how many answers there were of each status. */
export function startAttack(attack: Attack) {
  const child = fork(fileURLToPath(new URL('greedy-process.js', import.meta.url)));
  let answered = new Map<number, number>();
  child.on('message', (counts) => (answered = new Map(counts as [number, number][])));
  child.send(attack);
  return {
    answered: (): ReadonlyMap<number, number> => answered,
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
