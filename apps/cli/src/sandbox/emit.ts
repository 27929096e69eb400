import { setTimeout as sleep } from 'node:timers/promises';
import { channelOf, sampleEvent, type SampleKind } from '@ringback/rules';
import { completeEnvironment, createStopSignal } from '@ringback/process/command-line';
import { openQueues } from '@ringback/queue';
import { formatError, readConfig } from '@ringback/process';

export type EmitOptions = { account: string; webhook?: string; kind: SampleKind; rate: number; count?: number };

const maxBatchSize = 1_000;

/**
 * Pushes sample events into an event queue at a steady rate, like a platform's BullMQ client, without job options.
 * Events that become due during a push go into the next batches, so a slow push does not lower the rate.
 */
export async function emit({ account, webhook, kind, rate, count = Infinity }: EmitOptions): Promise<void> {
  const channel = channelOf(sampleEvent(kind, {}).event);
  const createJob = () => {
    const { event, ...data } = sampleEvent(kind, { accountId: account, webhookId: webhook });
    return { name: event, data };
  };
  const config = readConfig(completeEnvironment(process.env), ['DATABASE_URL', 'REDIS_URL', 'QUEUE_PREFIX']);
  const queues = openQueues({
    redisUrl: config.REDIS_URL,
    databaseUrl: config.DATABASE_URL,
    prefix: config.QUEUE_PREFIX,
    // A push that Redis takes longer for is late; one that is given up ends the load.
    redisTimeoutMs: 10_000,
    onError: (error) => process.stderr.write(`${formatError(error)}\n`),
  });
  const stop = createStopSignal();
  try {
    const startedAt = performance.now();
    for (let sent = 0; sent < count && !stop.aborted;) {
      const dueCount = Math.floor(((performance.now() - startedAt) * rate) / 1000) + 1;
      const batchSize = Math.min(Math.max(1, dueCount - sent), count - sent, maxBatchSize);
      await queues.pushEvents(channel, Array.from({ length: batchSize }, createJob));
      sent += batchSize;
      process.stdout.write(`\r${sent} events`);
      const waitMs = startedAt + (sent * 1000) / rate - performance.now();
      if (waitMs > 0 && sent < count) await sleep(waitMs, undefined, { signal: stop }).catch(() => {});
    }
    process.stdout.write('\n');
  } finally {
    await queues.close();
  }
}
