import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type EventEmitter, once } from 'node:events';
import type { Redis } from 'ioredis';
import {
  endsBefore,
  redisUrl,
  type RedisWithSentinels,
  startRedis,
  startRedisWithSentinels,
  until,
} from '@ringback/testing';
import { consume } from '../consumer.fixture.js';
import type { Consumer } from '../consumer.js';
import { type QueueEngine, isQueueUnavailable } from '../engine.js';
import { verificationQueue } from '../jobs.js';
import { openQueueEngine, openQueues, type Queues } from '../producer.js';
import { connect, consumerOptions } from './redis-engine.js';
import { createIds, enqueueVerifications, type VerificationJob } from '../verification-jobs.fixture.js';

const concurrency = 5;

type FailoverDetector = { sentinels: { client: EventEmitter }[] };
const detectorOf = (client: Redis) =>
  (client as unknown as { connector: { failoverDetector: FailoverDetector | null } }).connector.failoverDetector;

const onRedis = redisUrl() === undefined ? describe.skip : describe;

onRedis('Redis with Sentinel', () => {
  let redis: RedisWithSentinels;
  let queues: Queues;
  let engine: QueueEngine;
  let worker: Consumer;
  let taken: string[];
  const errors: Error[] = [];

  beforeEach(async () => {
    redis = await startRedisWithSentinels();
    const settings = { redisUrl: redis.url, databaseUrl: '', prefix: 'ringback' };
    queues = openQueues({ ...settings, onError: (error) => errors.push(error) });
    engine = openQueueEngine(settings);
    taken = [];
    const take = async ({ data }: VerificationJob) => void taken.push(data.verificationId);
    const options = { concurrency, lockDuration: 10_000, stalledInterval: 5_000 };
    const addError = (error: Error) => errors.push(error);
    worker = consume(engine, verificationQueue, take, { ...options, onError: addError });
  });

  afterEach(async () => {
    for (const server of redis.servers) server.thaw();
    await worker.close(true);
    await queues.close();
    await engine.close();
    await redis.remove();
  });

  const hasAll = (ids: string[]) => ids.every((id) => taken.includes(id));
  const push = (ids: string[]) =>
    enqueueVerifications(queues, ids).then(
      () => true,
      () => false,
    );
  const hasReplicaCaughtUp = async () => {
    const [primary, replica] = redis.servers;
    const offset = /master_repl_offset:(\d+)/.exec(await primary.command('INFO replication'))?.[1];
    return (await replica.command('INFO replication')).includes(`slave_repl_offset:${offset}\r`);
  };
  /**
   * Pushes verifications before, during and after a failover that `act` causes. Expects that each is taken, at most a
   * few twice.
   */
  const testFailover = async (act: () => unknown) => {
    const [before, late] = [createIds(50), createIds(50)];
    await enqueueVerifications(queues, before);
    await enqueueVerifications(queues, late, 5_000);
    await until(() => hasAll(before), 'what was pushed before is taken');
    await until(hasReplicaCaughtUp, 'the replica has caught up');
    await act();
    const meanwhile = createIds(50);
    await until(async () => (await redis.findPrimary()) === redis.servers[1], 'the replica is the primary');
    await until(() => push(meanwhile), 'a producer can push again');
    const after = createIds(50);
    await enqueueVerifications(queues, after);
    await until(() => hasAll([...late, ...meanwhile, ...after]), 'everything is taken');
    expect(taken.length).toBeLessThanOrEqual(200 + concurrency);
    expect((await queues.countJobsByQueue())[verificationQueue]).toMatchObject({ waiting: 0, delayed: 0 });
    expect(await redis.servers[1].command(`EXISTS ringback:${verificationQueue}:meta`)).toBe(':1');
    await queues.check();
  };

  test('producers and workers continue with the new primary after the old one is killed', async () => {
    await testFailover(() => redis.servers[0].kill());
  });

  test('producers and workers leave a primary that hangs, although its connections stay open', async () => {
    await testFailover(() => redis.servers[0].freeze());
  });

  test('producers and workers follow a failover that an operator starts', async () => {
    await testFailover(async () => {
      expect(await redis.sentinels[0]!.command('SENTINEL FAILOVER ringback')).toBe('+OK');
      await until(async () => (await redis.findPrimary()) === redis.servers[1], 'the replica is the primary');
      // The sentinels make the old primary a replica only after 10 s. Writes to it until then would be lost.
      await redis.servers[0].command(`REPLICAOF 127.0.0.1 ${redis.servers[1].port}`);
    });
  });

  test('a client that learns of a failover while it reconnects continues', async () => {
    const client = connect(redis.url, consumerOptions) as Redis;
    try {
      await until(() => detectorOf(client) !== null, 'it listens for failovers');
      for (let round = 0; round < 5; round++) {
        const detector = detectorOf(client);
        const connecting = once(client, 'connecting');
        client.stream.destroy();
        await connecting;
        for (const sentinel of detector?.sentinels ?? []) sentinel.client.emit('message', '+switch-master', '');
        expect(await client.ping()).toBe('PONG');
        await until(() => detectorOf(client) !== detector, 'it listens for failovers again');
      }
      expect(client.status).toBe('ready');
    } finally {
      client.disconnect();
    }
  });

  test("without a primary a producer's call fails quickly", async () => {
    await queues.check();
    for (const { kill } of [...redis.sentinels, ...redis.servers]) await kill();
    const call = () => enqueueVerifications(queues, createIds(1));
    const error: unknown = await endsBefore(10_000, call).catch((rejection: unknown) => rejection);
    expect([error, isQueueUnavailable(error)]).toEqual([error, true]);
  });
});

onRedis('Sentinel with passwords', () => {
  test('the password for Redis is before the hosts, that for the sentinels in sentinel_password', async () => {
    const primary = await startRedis({ requirepass: 'data' });
    const monitor = [
      `sentinel monitor ringback 127.0.0.1 ${primary.port} 1`,
      'sentinel auth-pass ringback data',
      'requirepass watch',
    ];
    const sentinel = await startRedis({}, monitor);
    const url = `redis+sentinel://:data@127.0.0.1:${sentinel.port}/ringback`;
    const check = (query: string) =>
      openQueueEngine({ redisUrl: `${url}${query}`, databaseUrl: '', prefix: 'x' }).check();
    await check('?sentinel_password=watch');
    await expect(check('')).rejects.toThrow(/NOAUTH/);
    await expect(check('?sentinel_password=wrong')).rejects.toThrow(/WRONGPASS/);
    await sentinel.remove();
    await primary.remove();
  });
});
