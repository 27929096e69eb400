import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { backends, createTestDatabase, redisUrl, startRedisCluster, type TestDatabase, until } from '@ringback/testing';
import { Queue } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { collectErrors } from './errors.fixture.js';
import { openQueueEngine } from './open-queue-engine.js';

const job = { name: 'deliver', data: { deliveryId: 'x' } };

describe.each(backends)('delivery queues of the previous version on $name', (server) => {
  let database: TestDatabase;
  let prefix: string;
  const settings = () => ({ redisUrl: server.redisUrl, databaseUrl: database.url, prefix, redisTimeoutMs: 60_000 });

  beforeEach(async () => {
    database = await createTestDatabase();
    prefix = `test_${randomBytes(6).toString('hex')}`;
  });
  afterEach(() => database.drop());

  test('are not found before any job is pushed', async () => {
    const engine = openQueueEngine(settings());
    expect(await engine.listPreviousQueues()).toEqual([]);
    await engine.close();
  });

  test('are found while they have delayed or prioritized jobs, even if paused', async () => {
    const { errors, addError } = collectErrors();
    const engine = openQueueEngine(settings());
    const [sms, rcs] = (['sms-deliveries', 'rcs-deliveries'] as const).map((name) => engine.openQueue(name, addError));
    const events = engine.openQueue('sms-events', addError);
    await events.add('sms:message:in', { payload: '{}' });
    expect(await engine.listPreviousQueues()).toEqual([]);
    await sms!.add(job.name, job.data, { delay: 600_000, jobId: 'deliver-1' });
    await rcs!.add(job.name, job.data, { priority: 1, jobId: 'deliver-2' });
    expect((await engine.listPreviousQueues()).sort()).toEqual(['rcs-deliveries', 'sms-deliveries']);
    await rcs!.pause();
    expect((await engine.listPreviousQueues()).sort()).toEqual(['rcs-deliveries', 'sms-deliveries']);
    await sms!.remove('deliver-1');
    expect(await engine.listPreviousQueues()).toEqual(['rcs-deliveries']);
    await rcs!.remove('deliver-2');
    expect(await engine.listPreviousQueues()).toEqual([]);
    for (const queue of [sms!, rcs!, events]) await queue.close();
    await engine.close();
    expect(errors).toEqual([]);
  });

  test('give their jobs to a worker that takes them', async () => {
    const { errors, addError } = collectErrors();
    const engine = openQueueEngine(settings());
    const queue = engine.openQueue('rcs-deliveries', addError);
    await queue.addBulk([job, job]);
    const [name] = await engine.listPreviousQueues();
    const taken: unknown[] = [];
    const take = async ({ data }: { data: unknown }) => void taken.push(data);
    const worker = engine.openWorker(name!, take, { removeOnComplete: { count: 0 } }, addError);
    await until(async () => (await engine.listPreviousQueues()).length === 0, 'no job is left');
    expect(taken).toEqual([job.data, job.data]);
    await worker.close();
    await queue.close();
    await engine.close();
    expect(errors).toEqual([]);
  });
});

(redisUrl() === undefined ? describe.skip : describe)('shards of the previous version', () => {
  test('are found on one Redis', async () => {
    const prefix = `test_${randomBytes(6).toString('hex')}`;
    const connection = new Redis(redisUrl()!, { maxRetriesPerRequest: null });
    const queues = ['sms-deliveries', 'rcs-deliveries-3'].map((name) => new Queue(name, { connection, prefix }));
    for (const queue of queues) await queue.add(job.name, job.data, { delay: 600_000 });
    const engine = openQueueEngine({ redisUrl: redisUrl(), databaseUrl: '', prefix, redisTimeoutMs: 60_000 });
    expect(await engine.listPreviousQueues()).toEqual(['sms-deliveries', 'rcs-deliveries-3']);
    for (const queue of queues) await queue.obliterate();
    expect(await engine.listPreviousQueues()).toEqual([]);
    await engine.close();
    for (const queue of queues) await queue.close();
    connection.disconnect();
  });

  test('are found in a cluster, where each has its own prefix, and give a worker their jobs', async () => {
    const cluster = await startRedisCluster();
    const connection = new Cluster([{ host: '127.0.0.1', port: cluster.nodes[0]!.port }]);
    const prefixes = {
      'sms-deliveries': '{ringback-0}',
      'sms-deliveries-1': '{ringback-1}',
      'rcs-deliveries-3': '{ringback-3}',
    };
    const queues = Object.entries(prefixes).map(([name, prefix]) => new Queue(name, { connection, prefix }));
    const engine = openQueueEngine({ redisUrl: cluster.url, databaseUrl: '', prefix: 'ringback' });
    try {
      expect(await engine.listPreviousQueues()).toEqual([]);
      for (const queue of queues) await queue.add(job.name, { deliveryId: queue.name });
      expect(await engine.listPreviousQueues()).toEqual(Object.keys(prefixes));
      const taken: unknown[] = [];
      const take = async ({ data }: { data: { deliveryId: string } }) => void taken.push(data.deliveryId);
      const options = { removeOnComplete: { count: 0 } };
      const workers = Object.keys(prefixes).map((name) => engine.openWorker(name, take, options, () => undefined));
      await until(async () => (await engine.listPreviousQueues()).length === 0, 'no job is left');
      expect(taken.sort()).toEqual(Object.keys(prefixes).sort());
      await Promise.all(workers.map((worker) => worker.close()));
    } finally {
      await engine.close();
      for (const queue of queues) await queue.close();
      connection.disconnect();
      await cluster.remove();
    }
  });
});
