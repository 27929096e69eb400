import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Greedy } from './greedy-calls.js';

export type Attack = { baseUrl: string; greedy: Greedy; connections: number };

/** The report of the attacking process: its CPU time in ms, and the number of responses with each status. */
export type AttackReport = { cpuMs: number; answered: [status: number, count: number][] };

/** Starts a process that makes the calls of the greedy account. */
export function startAttack(attack: Attack) {
  const child = fork(fileURLToPath(new URL('greedy-process.js', import.meta.url)));
  let report: AttackReport = { cpuMs: 0, answered: [] };
  child.on('message', (message) => (report = message as AttackReport));
  const exited = once(child, 'exit');
  child.send(attack);
  return {
    answered: (): ReadonlyMap<number, number> => new Map(report.answered),
    cpuMs: () => report.cpuMs,
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
