import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { endsBefore, type RedisCluster, redisUrl, startRedisCluster, until } from '@ringback/testing';
import { Queue } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { consume } from '../consumer.fixture.js';
import { eventQueues, queueNames, testCallQueue, verificationQueue } from '../jobs.js';
import { openQueueEngine, openQueues, type Queues } from '../producer.js';
import { UnsafeEvictionPolicyError } from './redis-engine.js';
import { isQueueUnavailable } from '../engine.js';
import { createIds, enqueueVerifications, type VerificationJob } from '../verification-jobs.fixture.js';

const ignore = () => undefined;

(redisUrl() === undefined ? describe.skip : describe)('a Redis Cluster of three nodes', () => {
  let cluster: RedisCluster;
  let admins: Redis[];
  const openedQueues: Queues[] = [];
  const settings = () => ({ redisUrl: cluster.url, databaseUrl: '', prefix: 'ringback' });
  const open = () => {
    const queues = openQueues({ ...settings(), onError: ignore });
    openedQueues.push(queues);
    return queues;
  };
  /** Takes verifications until `count` different ones are taken, and resolves with the ids in the order of taking. */
  const takeAll = async (count: number) => {
    const engine = openQueueEngine(settings());
    const seen: string[] = [];
    const take = async ({ data }: VerificationJob) => void seen.push(data.verificationId);
    const worker = consume(engine, verificationQueue, take);
    await until(() => new Set(seen).size >= count, `${count} verifications are taken`);
    await worker.close();
    await engine.close();
    return seen;
  };
  const push = (queues: Queues, ids: string[]) =>
    enqueueVerifications(queues, ids).then(
      () => true,
      () => false,
    );
  const keysOf = async (node: Redis) => node.keys('*');
  /** The node that has the keys of all queues. */
  const nodeOfQueues = async () => {
    const keys = await Promise.all(admins.map(keysOf));
    return cluster.nodes[keys.findIndex((nodeKeys) => nodeKeys.includes(`{ringback}:${verificationQueue}:meta`))]!;
  };

  beforeAll(async () => {
    cluster = await startRedisCluster();
    // The client of a node that a test kills reports that it cannot connect.
    admins = cluster.nodes.map(({ url }) => new Redis(url).on('error', () => undefined));
  });
  beforeEach(async () => {
    await Promise.all(admins.map((node) => node.flushall()));
  });
  afterAll(async () => {
    await Promise.all(openedQueues.map((queues) => queues.close()));
    for (const node of admins) node.disconnect();
    await cluster.remove();
  });

  test('holds every queue in one slot, and each job once', async () => {
    const queues = open();
    await queues.check();
    const ids = createIds(60);
    await enqueueVerifications(queues, ids, 600_000);
    await enqueueVerifications(queues, ids, 600_000);
    await queues.enqueueTestCall(randomUUID());
    await queues.pushEvents('sms', [{ name: 'sms:message:in', data: { payload: {} } }]);
    const slot = await admins[0]!.cluster('KEYSLOT', '{ringback}');
    const inSlot = await Promise.all(admins.map(async (node) => Number(await node.cluster('COUNTKEYSINSLOT', slot))));
    expect(inSlot).toEqual((await Promise.all(admins.map(keysOf))).map((keys) => keys.length));
    expect(inSlot.filter((count) => count > 0)).toHaveLength(1);
    const counts = await queues.countJobsByQueue();
    expect(Object.keys(counts)).toEqual([...queueNames]);
    expect(counts).toMatchObject({
      [verificationQueue]: { delayed: 60 },
      [testCallQueue]: { waiting: 1 },
      [eventQueues.sms]: { waiting: 1 },
    });
    expect(await queues.listQueuedVerifications()).toEqual(new Set(ids));
  });

  test('a worker takes each job once', async () => {
    const queues = open();
    const ids = createIds(100);
    await enqueueVerifications(queues, ids);
    const seen = await takeAll(100);
    expect(seen.sort()).toEqual(ids.sort());
    expect((await queues.countJobsByQueue())[verificationQueue]).toMatchObject({ waiting: 0, active: 0 });
  });

  test("a platform's BullMQ client finds the event queues under the prefix {ringback}", async () => {
    const queues = open();
    const client = new Cluster([{ host: '127.0.0.1', port: cluster.nodes[0]!.port }]);
    const platform = new Queue(eventQueues.sms, { connection: client, prefix: '{ringback}' });
    await platform.add('sms:message:status', { account_id: 'a', payload: { id: 'x' } });
    expect((await queues.countJobsByQueue())[eventQueues.sms]).toMatchObject({ waiting: 1 });
    await platform.close();
    client.disconnect();
  });

  test('the loss of all data on the node of the queues is detected', async () => {
    const queues = open();
    expect(await queues.isMarkerMissing()).toBe(true);
    await queues.writeMarker();
    // The marker is the only key.
    const before = await Promise.all(admins.map(keysOf));
    const markerIndex = before.findIndex((keys) => keys.length > 0);
    expect(await queues.isMarkerMissing()).toBe(false);
    for (const [index, node] of admins.entries()) {
      await node.flushall();
      expect(await queues.isMarkerMissing()).toBe(index >= markerIndex);
    }
    await queues.writeMarker();
    expect(await queues.isMarkerMissing()).toBe(false);
  });

  test('requests are counted for all processes, and their keys are on all nodes', async () => {
    const [one, other] = [open(), open()].map((queues) => queues.createRequestCounter(60_000));
    const keys = Array.from({ length: 30 }, () => randomUUID());
    for (const key of keys) {
      expect((await one!(key)).requests).toBe(1);
      expect((await other!(key)).requests).toBe(2);
    }
    const keyCounts = await Promise.all(admins.map(async (node) => (await keysOf(node)).length));
    expect(keyCounts.filter((count) => count > 0)).toHaveLength(3);
  });

  test('is refused if a node evicts keys', async () => {
    const node = admins.at(-1);
    await node!.config('SET', 'maxmemory-policy', 'volatile-lru');
    await expect(open().check()).rejects.toThrow(UnsafeEvictionPolicyError);
    await node!.config('SET', 'maxmemory-policy', 'noeviction');
    await open().check();
  });

  test("with an unavailable node a producer's calls fail quickly; after its return, no job is lost", async () => {
    const queues = open();
    const engine = openQueueEngine(settings());
    const seen = new Set<string>();
    const take = async ({ data }: VerificationJob) => void seen.add(data.verificationId);
    const worker = consume(engine, verificationQueue, take);
    const [before, late, meanwhile] = [createIds(20), createIds(40), createIds(20)];
    await enqueueVerifications(queues, before);
    await enqueueVerifications(queues, late, 4_000);
    await until(() => seen.size === 20, 'the first are taken');
    const queueNode = await nodeOfQueues();
    await queueNode.kill();
    const call = () => enqueueVerifications(queues, meanwhile);
    const error: unknown = await endsBefore(10_000, call).catch((rejection: unknown) => rejection);
    expect([error, isQueueUnavailable(error)]).toEqual([error, true]);
    await queueNode.start();
    await until(() => push(queues, meanwhile), 'the rest is queued');
    await until(() => seen.size === 80, 'all verifications are taken');
    await worker.close(true);
    await engine.close();
  });

  test('continues with the replica of a killed node', async () => {
    const queues = open();
    await enqueueVerifications(queues, createIds(20));
    await takeAll(20);
    const queueNode = await nodeOfQueues();
    await cluster.addReplica(cluster.nodes.indexOf(queueNode));
    await queueNode.kill();
    const after = createIds(40);
    await until(() => push(queues, after), 'a producer can push again');
    // A push that failed may still be executed later, and then adds a job again that was taken and removed.
    const seen = new Set(await takeAll(40));
    expect([...seen].sort()).toEqual(after.sort());
  });
});
