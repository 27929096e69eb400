import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { prepareRedis, redisUrl, type RedisServer, startRedis, until } from '@ringback/testing';
import { deliveryQueues } from './names.js';
import { openBackend, openQueues, type Queues } from './queues.js';
import { UnfitEngineError } from './unfit-engine.js';
import { isQueueUnavailable } from './unavailable.js';

const onRedis = redisUrl() === undefined ? describe.skip : describe;

onRedis('a Redis that comes and goes', () => {
  let redis: RedisServer;
  let queues: Queues;
  const open = () => openQueues({ redisUrl: redis.url, databaseUrl: '', prefix: 'test', onError: () => undefined });
  const delivery = () => ({ id: randomUUID(), channel: 'sms' as const, dueInMs: 0 });
  const expectUnavailable = async (act: () => Promise<unknown>) => {
    const startedAt = performance.now();
    const trouble: unknown = await act().then(
      () => 'it succeeded',
      (error: unknown) => error,
    );
    expect([trouble, isQueueUnavailable(trouble)]).toEqual([trouble, true]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  };
  const expectAllUnavailable = async () => {
    await expectUnavailable(() => queues.enqueueDeliveries([delivery()]));
    await expectUnavailable(() => queues.enqueueVerification(randomUUID()));
    await expectUnavailable(() => queues.pushEvents('rcs', [{ name: 'rcs:message:in', data: { payload: {} } }]));
    await expectUnavailable(() => queues.depths());
    await expectUnavailable(() => queues.ping());
  };
  const works = async () => {
    const again = delivery();
    await until(
      () =>
        queues.enqueueDeliveries([again]).then(
          () => true,
          (error) => !isQueueUnavailable(error),
        ),
      'a delivery can be queued again',
    );
    await queues.ping();
  };

  beforeEach(async () => {
    redis = await prepareRedis();
  });

  afterEach(async () => {
    redis.thaw();
    await queues.close();
    await redis.remove();
  });

  test('a producer that was opened while Redis was away fails soon, and works once Redis is there', async () => {
    queues = open();
    await expectAllUnavailable();
    await redis.start();
    await works();
  });

  test('a producer fails soon while Redis is away, and works again after that, without a job lost', async () => {
    await redis.start();
    queues = open();
    await queues.enqueueDeliveries([delivery(), delivery()]);
    await redis.kill();
    await expectAllUnavailable();
    await redis.start();
    await works();
    expect((await queues.depths())[deliveryQueues.sms]).toMatchObject({ waiting: 3 });
  });

  test('a producer fails soon while Redis hangs, and repeating the call makes nothing twice', async () => {
    await redis.start();
    queues = open();
    const stuck = delivery();
    await queues.enqueueDeliveries([delivery()]);
    redis.freeze();
    await expectUnavailable(() => queues.enqueueDeliveries([stuck]));
    await expectUnavailable(() => queues.ping());
    redis.thaw();
    await queues.enqueueDeliveries([stuck]);
    expect((await queues.depths())[deliveryQueues.sms]).toMatchObject({ waiting: 2 });
  });

  test('a producer that was opened while Redis hung works once it answers', async () => {
    await redis.start();
    redis.freeze();
    queues = open();
    await Promise.all(
      Array.from({ length: 30 }, () => expectUnavailable(() => queues.enqueueDeliveries([delivery()]))),
    );
    redis.thaw();
    await works();
  });

  test('a producer is told when Redis is full', async () => {
    await redis.remove();
    redis = await startRedis({ maxmemory: '1' });
    queues = open();
    await expectUnavailable(() => queues.enqueueDeliveries([delivery()]));
  });

  test('a worker goes on after a restart', async () => {
    await redis.start();
    queues = open();
    const backend = openBackend({ redisUrl: redis.url, databaseUrl: '', prefix: 'test' });
    const seen = new Set<unknown>();
    const take = async ({ data }: { data: { deliveryId: string } }) => void seen.add(data.deliveryId);
    const worker = backend.openWorker(deliveryQueues.sms, take, { removeOnComplete: { count: 0 } }, () => undefined);
    const [first, second] = [delivery(), delivery()];
    await queues.enqueueDeliveries([first]);
    await until(() => seen.has(first.id), 'the first delivery is taken');
    await redis.kill();
    await redis.start();
    await until(
      () =>
        queues.enqueueDeliveries([second]).then(
          () => true,
          () => false,
        ),
      'the second is queued',
    );
    await until(() => seen.has(second.id), 'the second delivery is taken');
    await worker.close();
    await backend.close();
  });
});

test.each(['redis', 'redis+cluster', 'redis+sentinel'])('a %s that is not there fails a call soon', async (scheme) => {
  const redisUrl = `${scheme}://127.0.0.1:1`;
  const queues = openQueues({ redisUrl, databaseUrl: '', prefix: 'test', onError: () => undefined });
  const startedAt = performance.now();
  const calls = [() => queues.ping(), () => queues.enqueueVerification(randomUUID())].map((act) =>
    act().then(
      () => 'it succeeded',
      (error: unknown) => isQueueUnavailable(error) || error,
    ),
  );
  expect(await Promise.all(calls)).toEqual([true, true]);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await queues.close();
});

onRedis('a Redis that evicts', () => {
  test.each(['allkeys-lru', 'volatile-ttl'])('is refused: %s', async (policy) => {
    const redis = await startRedis({ 'maxmemory-policy': policy });
    const queues = openQueues({ redisUrl: redis.url, databaseUrl: '', prefix: 'test', onError: () => undefined });
    await expect(queues.ping()).rejects.toThrow(
      new UnfitEngineError(
        `REDIS_URL names a Redis whose maxmemory-policy is ${policy}, which loses jobs; set it to noeviction`,
      ),
    );
    await queues.close();
    await redis.remove();
  });
});
