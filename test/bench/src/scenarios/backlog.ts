import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '../clock.js';
import { pushBurst, toWebhooks } from '../load.js';
import type { BenchOptions } from '../options.js';
import type { Result } from '../result.js';
import { startStack } from '../stack.js';
import { measureStream } from '../steady.js';
import { createWaiting, sleepUntil } from '../waiting.js';
import { measureSteadyCapacity, measureThroughput } from './throughput.js';

const seconds = 20;
// The stream starts this long before the retries are due.
const streamLeadMs = 5_000;
const leadMs = streamLeadMs + 2_000;
const maxRetries = 100_000;

/** Retries to a receiver that never responds become due at the same time, during a steady stream to other receivers. */
export async function backlog(options: BenchOptions): Promise<Result> {
  const count = Math.min(options.pending, maxRetries);
  const stack = await startStack(options);
  try {
    const burst = await measureThroughput(stack, { ...options, events: Math.min(options.events, 5_000) });
    const [dead] = await stack.addWebhooks('dead', 1);
    if (!dead) throw new Error('no webhook was created');
    const target = toWebhooks(stack.queues, await stack.addWebhooks('fresh', 100));
    options.setStep('measuring the capacity of a stream');
    const capacity = await measureSteadyCapacity(stack, target, burst.perSecond);
    const perSecond = capacity / 2;
    options.setStep(`a stream of ${Math.round(perSecond)} events/s`);
    const baseline = await measureStream(stack, { target, perSecond, seconds });

    options.setStep('one attempt without a response');
    stack.receiver.behave({ hang: [dead.path] });
    await pushBurst(toWebhooks(stack.queues, [dead]), 1);
    await awaitAttempt(stack.db.pool, dead.id);
    const waiting = { samples: [dead], count, name: 'dead', leadMs };
    const { dueAtMonotonicMs } = await createWaiting(stack, waiting, options);
    options.setStep('waiting until the retries are due');
    if (now() > dueAtMonotonicMs - streamLeadMs)
      throw new Error('the retries were due before the stream started; use a smaller --pending');
    await sleepUntil(dueAtMonotonicMs - streamLeadMs);
    options.setStep(`${count} retries to a receiver that never responds`);
    const isWanted = (_key: string, at: number) => at >= dueAtMonotonicMs;
    // The remaining retries are not awaited.
    const during = await measureStream(stack, {
      target,
      perSecond,
      seconds: seconds + streamLeadMs / 1_000,
      isWanted,
      settle: false,
    });
    const retriesPerSecond = (await countRetried(stack.db.pool, dead.id)) / seconds;
    return {
      scenario: 'backlog',
      title: `Backlog: ${Math.round(perSecond)} events/s, half of the capacity, while ${count} retries to one dead receiver are due`,
      rows: [
        { load: 'no backlog', 'p99 ratio': 1, ...baseline.row },
        { load: 'backlog', 'p99 ratio': during.p99 / baseline.p99, ...during.row, 'retries/s': retriesPerSecond },
      ],
    };
  } finally {
    await stack.stop();
  }
}

type Pool = { query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> };

/** Counts the deliveries of a webhook that had a retry. */
async function countRetried(pool: Pool, webhookId: string): Promise<number> {
  const statement = `SELECT count(*)::int AS count FROM deliveries WHERE webhook_id = $1 AND attempt_count > 1`;
  const [row] = (await pool.query(statement, [webhookId])).rows;
  return (row as { count: number }).count;
}

async function awaitAttempt(pool: Pool, webhookId: string): Promise<void> {
  const attempted = `SELECT 1 FROM deliveries WHERE webhook_id = $1 AND attempt_count > 0`;
  while ((await pool.query(attempted, [webhookId])).rows.length === 0) await sleep(100);
}
