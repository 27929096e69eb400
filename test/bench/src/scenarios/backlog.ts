import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../clock.js';
import { pushBurst, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result } from '../result.js';
import { startStack } from '../stack.js';
import { measureStream } from '../steady.js';
import { makeWaiting, sleepUntil } from '../waiting.js';
import { measureSteadyCapacity, measureThroughput } from './throughput.js';

const seconds = 20;
// The stream runs already when they fall due.
const leadMs = 5_000;
const spareMs = leadMs + 2_000;
const most = 100_000;

/** Retries of one receiver that never answers fall due at once, beside a steady stream to others. */
export async function backlog(options: BenchOptions): Promise<Result> {
  const count = Math.min(options.pending, most);
  const stack = await startStack(options);
  try {
    const burst = await measureThroughput(stack, { ...options, events: Math.min(options.events, 5_000) });
    const [dead] = await stack.makeWebhooks('dead', 1);
    if (!dead) throw new Error('no webhook was made');
    const target = toWebhooks(stack.queues, await stack.makeWebhooks('fresh', 100));
    options.say('what a stream gets through');
    const capacity = await measureSteadyCapacity(stack, target, burst.perSecond);
    const perSecond = capacity / 2;
    options.say(`a stream of ${Math.round(perSecond)} events/s`);
    const calm = await measureStream(stack, { target, perSecond, seconds });

    options.say('one attempt that is not answered');
    stack.receiver.behave({ hang: [dead.path] });
    await pushBurst(toWebhooks(stack.queues, [dead]), 1);
    await untilAttempted(stack.db.pool, dead.id);
    const making = { samples: [dead], count, name: 'dead', spareMs };
    const { dueAt } = await makeWaiting(stack, making, options);
    options.say('waiting until all are due');
    if (now() > dueAt - leadMs)
      throw new Error('the retries were due before the stream beside them ran; try a smaller --pending');
    await sleepUntil(dueAt - leadMs);
    options.say(`${count} retries to a receiver that never answers`);
    const isWanted = (_key: string, at: number) => at >= dueAt;
    // What is left of the retries may stay where it is.
    const beside = await measureStream(stack, {
      target,
      perSecond,
      seconds: seconds + leadMs / 1_000,
      isWanted,
      settle: false,
    });
    const worked = (await countWorked(stack.db.pool, dead.id)) / seconds;
    return {
      scenario: 'backlog',
      title: `Backlog: ${Math.round(perSecond)} events/s, half of what a stream gets through, while ${count} retries of one dead receiver fall due`,
      rows: [
        { load: 'no backlog', 'p99 ratio': 1, ...calm.row },
        { load: 'backlog', 'p99 ratio': beside.p99 / calm.p99, ...beside.row, 'retries worked off/s': worked },
      ],
    };
  } finally {
    await stack.stop();
  }
}

type Pool = { query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> };

/** How many of its retries were called. */
async function countWorked(pool: Pool, webhookId: string): Promise<number> {
  const worked = `SELECT count(*)::int AS worked FROM deliveries WHERE webhook_id = $1 AND attempts > 1`;
  const [row] = (await pool.query(worked, [webhookId])).rows;
  return (row as { worked: number }).worked;
}

async function untilAttempted(pool: Pool, webhookId: string): Promise<void> {
  const attempted = `SELECT 1 FROM deliveries WHERE webhook_id = $1 AND attempts > 0`;
  while ((await pool.query(attempted, [webhookId])).rows.length === 0) await sleep(100);
}
