import { setTimeout as sleep } from 'node:timers/promises';
import { channelOf } from '@ringback/callbacks';
import { openQueues } from '@ringback/queue';
import { explain, joinRunning, openStopSignal, readConfig } from '@ringback/runtime';
import { sampleEvent, type SampleKind } from '@ringback/samples';

type Options = { account: string; webhook?: string; kind: SampleKind; rate: number; count?: number };

const largestBatch = 1_000;

/**
 * Pushes sample events into the ingress queues at a steady rate, with no job options, as a BullMQ client does.
 * What has become due meanwhile goes in one batch, so that the rate is kept however long a push takes.
 */
export async function emit({ account, webhook, kind, rate, count = Infinity }: Options): Promise<void> {
  const channel = channelOf(sampleEvent(kind, {}).event);
  const makeJob = () => {
    const { event, ...data } = sampleEvent(kind, { accountId: account, webhookId: webhook });
    return { name: event, data };
  };
  const root = new URL('../../../', import.meta.url);
  const config = readConfig(joinRunning(process.env, root), ['DATABASE_URL', 'REDIS_URL', 'QUEUE_PREFIX']);
  const queues = openQueues({
    redisUrl: config.REDIS_URL,
    databaseUrl: config.DATABASE_URL,
    prefix: config.QUEUE_PREFIX,
    onError: (error) => process.stderr.write(`${explain(error)}\n`),
  });
  const stop = openStopSignal();
  try {
    const startedAt = performance.now();
    for (let sent = 0; sent < count && !stop.aborted;) {
      const due = Math.floor(((performance.now() - startedAt) * rate) / 1000) + 1;
      const next = Math.min(Math.max(1, due - sent), count - sent, largestBatch);
      await queues.pushEvents(channel, Array.from({ length: next }, makeJob));
      sent += next;
      process.stdout.write(`\r${sent} events`);
      const dueMs = startedAt + (sent * 1000) / rate - performance.now();
      if (dueMs > 0 && sent < count) await sleep(dueMs, undefined, { signal: stop }).catch(() => {});
    }
    process.stdout.write('\n');
  } finally {
    await queues.close();
  }
}
