import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { endsBefore, prepareRedis, type RedisServer, redisUrl, startRedis, until } from '@ringback/testing';
import { consume } from '../consumer.fixture.js';
import { eventQueues, verificationQueue } from '../jobs.js';
import { openQueueEngine, openQueues, type Queues } from '../producer.js';
import { UnsafeEvictionPolicyError } from './redis-engine.js';
import { isQueueUnavailable } from '../engine.js';
import type { VerificationJob } from '../verification-jobs.fixture.js';

const onRedis = redisUrl() === undefined ? describe.skip : describe;

onRedis('a Redis that comes and goes', () => {
  let redis: RedisServer;
  let queues: Queues;
  const open = (settings: { redisTimeoutMs?: number } = {}) =>
    openQueues({ redisUrl: redis.url, databaseUrl: '', prefix: 'test', onError: () => undefined, ...settings });
  const enqueue = (id: string = randomUUID()) => queues.enqueueVerification(id);
  const expectUnavailable = async (call: () => Promise<unknown>) => {
    // A call that waits for Redis would never end.
    const error: unknown = await endsBefore(10_000, call).then(
      () => 'it succeeded',
      (rejection: unknown) => rejection,
    );
    expect([error, isQueueUnavailable(error)]).toEqual([error, true]);
  };
  const expectAllUnavailable = async () => {
    await expectUnavailable(() => enqueue());
    await expectUnavailable(() => queues.enqueueTestCall(randomUUID()));
    await expectUnavailable(() => queues.pushEvents('rcs', [{ name: 'rcs:message:in', data: { payload: {} } }]));
    await expectUnavailable(() => queues.countJobsByQueue());
    await expectUnavailable(() => queues.check());
  };
  /** Waits until a verification can be queued and `check` succeeds, or fails for another reason than unavailability. */
  const waitUntilAvailable = async () => {
    const id = randomUUID();
    await until(
      () =>
        enqueue(id)
          .then(() => queues.check())
          .then(
            () => true,
            (error) => !isQueueUnavailable(error),
          ),
      'a verification can be queued again',
    );
  };

  beforeEach(async () => {
    redis = await prepareRedis();
  });

  afterEach(async () => {
    redis.thaw();
    await queues.close();
    await redis.remove();
  });

  test('a producer opened while Redis is unavailable fails quickly, and works after Redis returns', async () => {
    queues = open();
    await expectAllUnavailable();
    await redis.start();
    await waitUntilAvailable();
  });

  test('a producer fails quickly while Redis is unavailable, then works again, and no job is lost', async () => {
    await redis.start();
    queues = open();
    await enqueue();
    await enqueue();
    await redis.kill();
    await expectAllUnavailable();
    await redis.start();
    await waitUntilAvailable();
    expect((await queues.countJobsByQueue())[verificationQueue]).toMatchObject({ waiting: 3 });
  });

  test('a producer fails as if Redis were unavailable while it refuses writes or the user, then works again', async () => {
    await redis.start();
    queues = open();
    await enqueue();
    const operator = new Redis(redis.url);
    try {
      // The first refusal is inside of a script, the second one of the script.
      for (const denied of ['-@write', '-evalsha']) {
        await operator.call('ACL', 'SETUSER', 'default', denied);
        await expectUnavailable(() => enqueue());
        await operator.call('ACL', 'SETUSER', 'default', '+@all');
        await waitUntilAvailable();
      }
    } finally {
      operator.disconnect();
    }
  });

  test('a producer fails quickly while Redis hangs, and a repeated call adds nothing twice', async () => {
    await redis.start();
    queues = open();
    const stuck = randomUUID();
    await enqueue();
    redis.freeze();
    await expectUnavailable(() => enqueue(stuck));
    await expectUnavailable(() => queues.check());
    redis.thaw();
    await enqueue(stuck);
    expect((await queues.countJobsByQueue())[verificationQueue]).toMatchObject({ waiting: 2 });
  });

  test('a producer with a longer timeout waits for Redis', async () => {
    await redis.start();
    queues = open({ redisTimeoutMs: 60_000 });
    await enqueue();
    redis.freeze();
    const waiting = enqueue();
    const impatient = open();
    await expectUnavailable(() => impatient.enqueueVerification(randomUUID()));
    redis.thaw();
    await waiting;
    await impatient.close();
    expect((await queues.countJobsByQueue())[verificationQueue]).toMatchObject({ waiting: 2 });
  });

  test('a producer opened while Redis hangs works when Redis responds again', async () => {
    await redis.start();
    redis.freeze();
    queues = open();
    await Promise.all(Array.from({ length: 30 }, () => expectUnavailable(() => enqueue())));
    redis.thaw();
    await waitUntilAvailable();
  });

  test("while Redis is full, a producer's call fails", async () => {
    await redis.remove();
    redis = await startRedis({ maxmemory: '1' });
    queues = open();
    await expectUnavailable(() => enqueue());
  });

  test('a worker that is closed leaves no connection', async () => {
    await redis.start();
    queues = open();
    const countClients = async () => {
      const client = new Redis(redis.url);
      const list = String(await client.client('LIST'));
      client.disconnect();
      return list.trim().split('\n').length;
    };
    const before = await countClients();
    const engine = openQueueEngine({ redisUrl: redis.url, databaseUrl: '', prefix: 'test' });
    for (const queue of [verificationQueue, eventQueues.sms]) {
      const worker = consume(engine, queue, async () => undefined);
      await until(async () => (await countClients()) > before, 'the worker connects');
      await worker.close(true);
      await until(async () => (await countClients()) === before, 'its connections are closed');
    }
    await engine.close();
  });

  test('a worker continues after a restart of Redis', async () => {
    await redis.start();
    queues = open();
    const engine = openQueueEngine({ redisUrl: redis.url, databaseUrl: '', prefix: 'test' });
    const seen = new Set<unknown>();
    const take = async ({ data }: VerificationJob) => void seen.add(data.verificationId);
    const worker = consume(engine, verificationQueue, take);
    const [first, second] = [randomUUID(), randomUUID()];
    await enqueue(first);
    await until(() => seen.has(first), 'the first verification is taken');
    await redis.kill();
    await redis.start();
    await until(
      () =>
        enqueue(second).then(
          () => true,
          () => false,
        ),
      'the second is queued',
    );
    await until(() => seen.has(second), 'the second verification is taken');
    await worker.close();
    await engine.close();
  });
});

test.each(['redis', 'redis+cluster', 'redis+sentinel'])('a call to an unreachable %s fails quickly', async (scheme) => {
  const redisUrl = `${scheme}://127.0.0.1:1`;
  const queues = openQueues({ redisUrl, databaseUrl: '', prefix: 'test', onError: () => undefined });
  const results = [() => queues.check(), () => queues.enqueueVerification(randomUUID())].map((call) =>
    endsBefore(10_000, call).then(
      () => 'it succeeded',
      (error: unknown) => isQueueUnavailable(error) || error,
    ),
  );
  expect(await Promise.all(results)).toEqual([true, true]);
  await queues.close();
});

test('errors of connecting reach onError, even if the first call has no onError of its own', async () => {
  const errors: Error[] = [];
  const onError = (error: Error) => void errors.push(error);
  const queues = openQueues({ redisUrl: 'redis://127.0.0.1:1', databaseUrl: '', prefix: 'test', onError });
  await expect(queues.isMarkerMissing()).rejects.toThrow();
  await expect(queues.enqueueVerification(randomUUID())).rejects.toThrow();
  await until(() => errors.some(({ message }) => message.includes('ECONNREFUSED')), 'the error is reported');
  await queues.close();
});

onRedis('a Redis that evicts', () => {
  test.each(['allkeys-lru', 'volatile-ttl'])('is refused: %s', async (policy) => {
    const redis = await startRedis({ 'maxmemory-policy': policy });
    const queues = openQueues({ redisUrl: redis.url, databaseUrl: '', prefix: 'test', onError: () => undefined });
    await expect(queues.check()).rejects.toThrow(
      new UnsafeEvictionPolicyError(
        `REDIS_URL names a Redis whose maxmemory-policy is ${policy}, which loses jobs; set it to noeviction`,
      ),
    );
    await queues.close();
    await redis.remove();
  });
});
