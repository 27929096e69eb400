import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type RedisCluster, redisUrl, startRedisCluster, until } from '@ringback/testing';
import { Queue } from 'bullmq';
import { Cluster, Redis } from 'ioredis';
import { deliveryQueues, ingressQueues, type ShardName } from './names.js';
import { openBackend, openQueues, type Queues } from './queues.js';
import { UnfitEngineError } from './unfit-engine.js';
import { isQueueUnavailable } from './unavailable.js';

const ignore = () => undefined;
const makeDeliveries = (count: number, channel: 'sms' | 'rcs', dueInMs = 600_000) =>
  Array.from({ length: count }, () => ({ id: randomUUID(), channel, dueInMs }));

(redisUrl() === undefined ? describe.skip : describe)('a Redis Cluster of three nodes', () => {
  let cluster: RedisCluster;
  let admins: Redis[];
  const opened: Queues[] = [];
  const settings = (shards: number) => ({ redisUrl: cluster.url, databaseUrl: '', prefix: 'ringback', shards });
  const open = (shards: number) => {
    const queues = openQueues({ ...settings(shards), onError: ignore });
    opened.push(queues);
    return queues;
  };
  /** Takes every job of these queues and resolves with the ids of the deliveries once there are so many. */
  const takeAll = async (names: ShardName[], count: number) => {
    const backend = openBackend(settings(1));
    const seen: unknown[] = [];
    const take = async ({ data }: { data: { deliveryId: string } }) => void seen.push(data.deliveryId);
    const workers = names.map((name) => backend.openWorker(name, take, { removeOnComplete: { count: 0 } }, ignore));
    await until(() => seen.length >= count, `${count} deliveries are taken`);
    await Promise.all(workers.map((worker) => worker.close()));
    await backend.close();
    return seen;
  };
  const keysOf = async (node: Redis) => node.keys('*');

  beforeAll(async () => {
    cluster = await startRedisCluster();
    admins = cluster.nodes.map(({ url }) => new Redis(url));
  });
  beforeEach(async () => {
    await Promise.all(admins.map((node) => node.flushall()));
  });
  afterAll(async () => {
    await Promise.all(opened.map((queues) => queues.close()));
    for (const node of admins) node.disconnect();
    await cluster.remove();
  });

  test('holds the shards of a queue on all its nodes, each shard in one slot', async () => {
    const queues = open(4);
    await queues.ping();
    const deliveries = [...makeDeliveries(60, 'sms'), ...makeDeliveries(60, 'rcs')];
    await queues.enqueueDeliveries(deliveries);
    await queues.enqueueDeliveries(deliveries);
    const [first] = admins;
    const slots = await Promise.all([0, 1, 2, 3].map((shard) => first!.cluster('KEYSLOT', `{ringback-${shard}}`)));
    expect(new Set(slots).size).toBe(4);
    const jobsOf = async (node: Redis) => (await keysOf(node)).filter((key) => key.includes(':deliver-')).length;
    const jobs = await Promise.all(admins.map(jobsOf));
    expect(jobs.reduce((sum, count) => sum + count, 0)).toBe(120);
    expect(jobs.filter((count) => count > 0)).toHaveLength(3);
    const inSlots = await Promise.all(
      admins.map(async (node) => {
        const counts = await Promise.all(slots.map((slot) => node.cluster('COUNTKEYSINSLOT', slot)));
        return counts.reduce((sum: number, count) => sum + Number(count), 0);
      }),
    );
    expect(inSlots).toEqual((await Promise.all(admins.map(keysOf))).map((keys) => keys.length));
    expect(await queues.depths()).toMatchObject({
      [deliveryQueues.sms]: { delayed: 60 },
      [deliveryQueues.rcs]: { delayed: 60 },
    });
    const sms = deliveries.filter(({ channel }) => channel === 'sms').map(({ id }) => id);
    expect(await queues.queuedDeliveries('sms')).toEqual(new Set(sms));
  });

  test('a worker takes the jobs of every shard, each once', async () => {
    const queues = open(4);
    const deliveries = makeDeliveries(100, 'rcs', 0);
    await queues.enqueueDeliveries(deliveries);
    const shards = await queues.shardsOf(deliveryQueues.rcs);
    expect(shards).toEqual(['rcs-deliveries', 'rcs-deliveries-1', 'rcs-deliveries-2', 'rcs-deliveries-3']);
    const seen = await takeAll(shards, 100);
    expect([...seen].sort()).toEqual(deliveries.map(({ id }) => id).sort());
    expect((await queues.depths())[deliveryQueues.rcs]).toMatchObject({ waiting: 0, active: 0 });
  });

  test("a platform's BullMQ client meets the ingress queues under {ringback}, however many shards there are", async () => {
    const queues = open(4);
    const client = new Cluster([{ host: '127.0.0.1', port: cluster.nodes[0]!.port }]);
    const platform = new Queue(ingressQueues.sms, { connection: client, prefix: '{ringback}' });
    await platform.add('sms:message:status', { account_id: 'a', payload: { id: 'x' } });
    expect((await queues.depths())[ingressQueues.sms]).toMatchObject({ waiting: 1 });
    expect(await queues.shardsOf(ingressQueues.sms)).toEqual([ingressQueues.sms]);
    await platform.close();
    client.disconnect();
  });

  test('a node that loses everything alone is noticed, and so is each other one', async () => {
    const queues = open(4);
    expect(await queues.wasLost()).toBe(true);
    await queues.markKept();
    for (const node of admins) {
      expect(await queues.wasLost()).toBe(false);
      await node.flushall();
      expect(await queues.wasLost()).toBe(true);
      await queues.markKept();
    }
  });

  test('shards that are new have lost nothing, and are missed from then on', async () => {
    await open(1).markKept();
    const queues = open(4);
    expect(await queues.wasLost()).toBe(false);
    const [first] = admins;
    const node = admins.at(-1);
    expect(String(await first!.cluster('KEYSLOT', '{ringback-3}'))).toBe('15054');
    await node!.flushall();
    expect(await queues.wasLost()).toBe(true);
  });

  test('hits are counted for all processes, and their keys are spread', async () => {
    const [one, other] = [open(1), open(4)].map((queues) => queues.openHitCounter(60_000));
    const keys = Array.from({ length: 30 }, () => randomUUID());
    for (const key of keys) {
      expect((await one!(key)).hits).toBe(1);
      expect((await other!(key)).hits).toBe(2);
    }
    const held = await Promise.all(admins.map(async (node) => (await keysOf(node)).length));
    expect(held.filter((count) => count > 0)).toHaveLength(3);
  });

  test('with a node that evicts is refused', async () => {
    const node = admins.at(-1);
    await node!.config('SET', 'maxmemory-policy', 'volatile-lru');
    await expect(open(1).ping()).rejects.toThrow(UnfitEngineError);
    await node!.config('SET', 'maxmemory-policy', 'noeviction');
    await open(1).ping();
  });

  test('with a node that is away fails a producer soon; once it is back, everything goes on without a job lost', async () => {
    const queues = open(4);
    const backend = openBackend(settings(4));
    const seen = new Set<string>();
    const take = async ({ data }: { data: { deliveryId: string } }) => void seen.add(data.deliveryId);
    const shards = await queues.shardsOf(deliveryQueues.sms);
    const workers = shards.map((name) => backend.openWorker(name, take, { removeOnComplete: { count: 0 } }, ignore));
    const [before, late, meanwhile] = [
      makeDeliveries(20, 'sms', 0),
      makeDeliveries(40, 'sms', 4_000),
      makeDeliveries(20, 'sms', 0),
    ];
    await queues.enqueueDeliveries([...before, ...late]);
    await until(() => seen.size === 20, 'the first are taken');
    await cluster.nodes[2]!.kill();
    const startedAt = performance.now();
    const trouble: unknown = await queues.enqueueDeliveries(meanwhile).catch((error: unknown) => error);
    expect([trouble, isQueueUnavailable(trouble)]).toEqual([trouble, true]);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await cluster.nodes[2]!.start();
    const retry = () =>
      queues.enqueueDeliveries(meanwhile).then(
        () => true,
        () => false,
      );
    await until(retry, 'the rest is queued');
    await until(() => seen.size === 80, 'all deliveries are taken');
    await Promise.all(workers.map((worker) => worker.close(true)));
    await backend.close();
  });

  test('goes on with the replica of a node that is killed', async () => {
    await cluster.addReplica(2);
    const queues = open(4);
    const before = makeDeliveries(20, 'rcs', 0);
    await queues.enqueueDeliveries(before);
    const shards = await queues.shardsOf(deliveryQueues.rcs);
    await takeAll(shards, 20);
    await cluster.nodes[2]!.kill();
    const after = makeDeliveries(40, 'rcs', 0);
    const retry = () =>
      queues.enqueueDeliveries(after).then(
        () => true,
        (error) => !isQueueUnavailable(error),
      );
    await until(retry, 'a producer can push again');
    const seen = await takeAll(shards, 40);
    expect([...seen].sort()).toEqual(after.map(({ id }) => id).sort());
  });
});
