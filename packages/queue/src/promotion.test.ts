import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { redisUrl, type RedisServer, startRedis, until } from '@ringback/testing';
import type { Backend } from './backend.js';
import { deliveryQueues } from './names.js';
import { promoteFew } from './promotion.js';
import { openBackend, openQueues, type Queues } from './queues.js';

const count = 500;

(redisUrl() === undefined ? describe.skip : describe)('jobs that fall due at once', () => {
  let redis: RedisServer;
  let queues: Queues;
  let backend: Backend;
  const delayed = async () => (await queues.depths())['sms-deliveries']['delayed'] ?? 0;

  beforeEach(async () => {
    redis = await startRedis();
    const settings = { redisUrl: redis.url, databaseUrl: '', prefix: 'test' };
    queues = openQueues({ ...settings, onError: () => undefined });
    backend = openBackend(settings);
  });

  afterEach(async () => {
    await queues.close();
    await backend.close();
    await redis.remove();
  });

  test('are made ready a few at a time, in their order, and all are done', async () => {
    const ids = Array.from({ length: count }, () => randomUUID());
    const deliveries = ids.map((id, index) => ({ id, channel: 'sms' as const, dueInMs: 1_000 + index, attempts: 1 }));
    await queues.enqueueDeliveries(deliveries);
    await sleep(1_000 + count + 100);
    expect(await delayed()).toBe(count);
    const done: string[] = [];
    let left = count;
    const take = async ({ data }: { data: { deliveryId: string } }) => {
      if (done.length === 0) left = await delayed();
      done.push(data.deliveryId);
    };
    const worker = backend.openWorker(deliveryQueues.sms, take, { concurrency: 1 }, () => undefined);
    await until(() => done.length === count, 'all are done');
    expect(done).toEqual(ids);
    expect(left).toBeLessThan(count);
    expect(left).toBeGreaterThan(count - 100);
    await worker.close();
  });
});

test('a script that promotes in another way is refused', () => {
  const client = { defineCommand: () => undefined };
  promoteFew(client as never);
  const define = (lua: string) => (client.defineCommand as (...words: unknown[]) => void)('move:1', { lua });
  define('return 1');
  expect(() => define('local function promoteDelayedJobs() rcall("ZRANGEBYSCORE", k, "LIMIT", 0, 99) end')).toThrow(
    'move:1 of BullMQ does its work in a way that is not known here',
  );
});
