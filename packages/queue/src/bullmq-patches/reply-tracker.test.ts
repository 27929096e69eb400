import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type RedisServer, redisUrl, startRedis, until } from '@ringback/testing';
import type { QueueEngine } from '../queue-engine.js';
import { openQueueEngine } from '../open-queue-engine.js';
import { openQueues, type Queues } from '../queues.js';

const onRedis = redisUrl() === undefined ? describe.skip : describe;

onRedis('a worker of an event queue', () => {
  let redis: RedisServer;
  let queues: Queues;
  let engines: QueueEngine[];
  let takenIds: string[];
  const errors: Error[] = [];
  const addError = (error: Error) => void errors.push(error);
  const settings = () => ({ redisUrl: redis.url, databaseUrl: '', prefix: 'test', redisTimeoutMs: 60_000 });

  beforeEach(async () => {
    redis = await startRedis();
    queues = openQueues({ ...settings(), onError: addError });
    [engines, takenIds] = [[], []];
  });

  afterEach(async () => {
    await queues.close();
    await Promise.all(engines.map((engine) => engine.close()));
    await redis.remove();
    expect(errors.splice(0)).toEqual([]);
  });

  const push = (ids: string[]) =>
    queues.pushEvents(
      'sms',
      ids.map((id) => ({ name: 'sms:message:status', data: { payload: { id } } })),
    );
  const openWorker = () => {
    const engine = openQueueEngine(settings());
    engines.push(engine);
    const take = async ({ data }: { data: { payload: string } }) =>
      void takenIds.push(String((JSON.parse(data.payload) as { id: string }).id));
    return engine.openWorker('sms-events', take, { concurrency: 64, removeOnComplete: { count: 0 } }, addError);
  };
  const countWaits = async () => {
    const info = await redis.command('INFO commandstats');
    return Number(/cmdstat_bzpopmin:calls=(\d+)/.exec(info)?.[1] ?? 0);
  };

  test('waits for a marker once for each job that comes alone', async () => {
    const worker = openWorker();
    const ids = Array.from({ length: 100 }, (_, index) => `m:${index}`);
    for (const id of ids) {
      await push([id]);
      await until(() => takenIds.includes(id));
    }
    // BullMQ by itself waits about 160 times.
    expect(await countWaits()).toBeLessThan(125);
    await worker.close();
  });

  test('takes all jobs that come in groups, together with another worker', async () => {
    const workers = [openWorker(), openWorker()];
    const ids = Array.from({ length: 1_000 }, (_, index) => `m:${index}`);
    for (let start = 0; start < ids.length; start += 10) await push(ids.slice(start, start + 10));
    await until(() => takenIds.length === ids.length);
    expect(new Set(takenIds).size).toBe(ids.length);
    await Promise.all(workers.map((worker) => worker.close()));
  });
});
