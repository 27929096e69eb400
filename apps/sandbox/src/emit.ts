import { setTimeout as sleep } from 'node:timers/promises';
import { channelOf } from '@ringback/callbacks';
import { openQueues } from '@ringback/queue';
import { joinRunning, readConfig } from '@ringback/runtime';
import { sampleEvent, type SampleKind } from '@ringback/samples';

type Options = { account: string; webhook?: string; kind: SampleKind; rate: number; count?: number };

/** Pushes sample events into the ingress queues at a steady rate, with no job options, as a BullMQ client does. */
export async function emit({ account, webhook, kind, rate, count = Infinity }: Options): Promise<void> {
  const root = new URL('../../../', import.meta.url);
  const config = readConfig(joinRunning(process.env, root), ['DATABASE_URL', 'REDIS_URL', 'QUEUE_PREFIX']);
  const queues = openQueues({
    redisUrl: config.REDIS_URL,
    databaseUrl: config.DATABASE_URL,
    prefix: config.QUEUE_PREFIX,
    onError: (error) => process.stderr.write(`${error.message}\n`),
  });
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const startedAt = performance.now();
  let sent = 0;
  while (sent < count && !stop.signal.aborted) {
    const { event, ...data } = sampleEvent(kind, { accountId: account, webhookId: webhook });
    await queues.pushEvents(channelOf(event), [{ name: event, data }]);
    sent++;
    process.stdout.write(`\r${sent} events`);
    const dueMs = startedAt + (sent * 1000) / rate - performance.now();
    if (dueMs > 0 && sent < count) await sleep(dueMs, undefined, { signal: stop.signal }).catch(() => {});
  }
  process.stdout.write('\n');
  await queues.close();
}
