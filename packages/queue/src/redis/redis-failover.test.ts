import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTcpProxy, redisUrl, type RedisServer, startRedis, type TcpProxy, until } from '@ringback/testing';
import { consume } from '../consumer.fixture.js';
import type { Consumer } from '../consumer.js';
import type { QueueEngine } from '../engine.js';
import { verificationQueue } from '../jobs.js';
import { openQueueEngine } from '../producer.js';
import { openQueues, type Queues } from '../producer.js';
import { isQueueUnavailable } from '../engine.js';
import { enqueueVerifications, type VerificationJob } from '../verification-jobs.fixture.js';

const workerCount = 5;

/** Clients connect through a proxy. They stay connected to a demoted primary until they reconnect themselves. */
(redisUrl() === undefined ? describe.skip : describe)('a failover of Redis', () => {
  let [first, second]: RedisServer[] = [];
  let proxy: TcpProxy;
  let queues: Queues;
  let engine: QueueEngine;
  let workers: Consumer[];
  const taken = new Set<string>();
  const acknowledged: string[] = [];
  const refusals: unknown[] = [];
  const push = async ({ dueInMs = 0 } = {}) => {
    const id = randomUUID();
    await enqueueVerifications(queues, [id], dueInMs).then(
      () => acknowledged.push(id),
      (error: unknown) => refusals.push(error),
    );
  };
  /** Reads a number from the statistics of a server. */
  const readNumber = async (server: RedisServer, name: string) =>
    Number(new RegExp(`${name}:(\\d+)`).exec(await server.command('INFO everything'))?.[1]);

  beforeEach(async () => {
    first = await startRedis();
    second = await startRedis({ replicaof: first.url.replace('redis://', '').replace(':', ' ') });
    proxy = await startTcpProxy(first.url);
    const settings = { redisUrl: proxy.proxyUrlFor(first.url), databaseUrl: '', prefix: 'test' };
    queues = openQueues({ ...settings, onError: () => undefined });
    engine = openQueueEngine(settings);
    const take = async ({ data }: VerificationJob) => void taken.add(data.verificationId);
    const options = { concurrency: 5 };
    workers = Array.from({ length: workerCount }, () => consume(engine, verificationQueue, take, options));
    await until(
      async () => (await second?.command('INFO replication'))!.includes('master_link_status:up'),
      'replicating',
    );
  });

  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close(true)));
    await engine.close();
    await queues.close();
    await proxy.close();
    await Promise.all([first?.remove(), second?.remove()]);
  });

  test('loses no job, and producers and workers do not flood the demoted primary with connections', async () => {
    for (let round = 0; round < 20; round++) await push();
    await until(() => acknowledged.every((id) => taken.has(id)), 'what is due is taken');
    for (let round = 0; round < 20; round++) await push({ dueInMs: 3_000 });
    expect(acknowledged).toHaveLength(40);
    const offset = await readNumber(first!, 'master_repl_offset');
    await until(async () => (await readNumber(second!, 'slave_repl_offset')) >= offset, 'the replica has everything');

    // No replica is promoted yet: for a while all servers are read-only.
    await first!.command(`REPLICAOF 127.0.0.1 1`);
    const connectionsBefore = await readNumber(first!, 'total_connections_received');
    const demotedAtMonotonicMs = performance.now();
    while (performance.now() - demotedAtMonotonicMs < 5_000) await Promise.all([push(), sleep(100)]);
    const connections = (await readNumber(first!, 'total_connections_received')) - connectionsBefore;
    expect(refusals.length).toBeGreaterThan(0);
    expect(refusals.filter((error) => !isQueueUnavailable(error))).toEqual([]);
    expect(connections).toBeLessThan(50);

    await second!.command('REPLICAOF NO ONE');
    proxy.pointTo(second!.url);
    const countBefore = acknowledged.length;
    await until(async () => {
      await push();
      return acknowledged.length >= countBefore + 20;
    }, 'the producer has moved');
    await until(() => acknowledged.every((id) => taken.has(id)), 'everything that was acknowledged is taken');
    await until(async () => {
      const counts = (await queues.countJobsByQueue())[verificationQueue];
      return counts.active === 0 && counts.waiting === 0;
    }, 'nothing is left in the queue');
  });
});
