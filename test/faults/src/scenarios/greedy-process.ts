// A process that makes the calls of the greedy account, so that their CPU time is not part of the measurement.
import { setInterval } from 'node:timers/promises';
import { type Answer, keepCalling } from '../traffic-http.js';
import type { Attack, AttackReport } from './greedy-attack.js';
import { worstCalls } from './greedy-calls.js';

const reportEveryMs = 100;

process.once('message', (message) => void attack(message as Attack));
// The process of the scenario has ended.
process.on('disconnect', () => process.exit(0));

async function attack({ baseUrl, greedy, connections }: Attack): Promise<void> {
  const answered = new Map<number, number>();
  const countAnswer = ({ status }: Answer) => void answered.set(status, (answered.get(status) ?? 0) + 1);
  const before = process.cpuUsage();
  keepCalling(worstCalls(baseUrl, greedy), { connections, onAnswer: countAnswer });
  for await (const _ of setInterval(reportEveryMs)) {
    const { user, system } = process.cpuUsage(before);
    const report: AttackReport = { cpuMs: Math.round((user + system) / 1_000), answered: [...answered] };
    process.send?.(report);
  }
}
