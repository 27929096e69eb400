import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { backends, createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { consume } from './consumer.fixture.js';
import { Consumer } from './consumer.js';
import type { QueueEngine } from './engine.js';
import { verificationQueue } from './jobs.js';
import { openQueueEngine, openQueues, type Queues } from './producer.js';

describe.each(backends)('a consumer on $name', ({ redisUrl }) => {
  let database: TestDatabase;
  let engine: QueueEngine;
  let queues: Queues;
  let consumers: Consumer[];
  beforeEach(async () => {
    database = await createTestDatabase();
    const prefix = `test_${randomBytes(6).toString('hex')}`;
    const settings = { redisUrl, databaseUrl: database.url, prefix, redisTimeoutMs: 60_000 };
    engine = openQueueEngine(settings);
    queues = openQueues({ ...settings, onError: () => undefined });
    consumers = [];
  });
  afterEach(async () => {
    await Promise.all(consumers.map((consumer) => consumer.close(true)));
    await queues.close();
    await engine.close();
    await database.drop();
  });

  const open = (...args: Parameters<typeof consume> extends [unknown, unknown, ...infer Rest] ? Rest : never) => {
    const consumer = consume(engine, verificationQueue, ...args);
    consumers.push(consumer);
    return consumer;
  };
  const isEmpty = async () => {
    const { waiting, active, delayed } = await queues.readHealth(verificationQueue);
    return waiting + active + delayed === 0;
  };
  const quick = { lockDuration: 400, stalledInterval: 100 };

  test('a job that runs longer than its lock lasts is not given to another worker', async () => {
    const [long, crashing] = [randomUUID(), randomUUID()];
    const taken: string[] = [];
    const take =
      (name: string, run: (id: string) => Promise<unknown>) =>
      ({ data }: { data: { verificationId: string } }) => {
        taken.push(`${name} takes ${data.verificationId === long ? 'the long job' : 'the other'}`);
        return run(data.verificationId);
      };
    let finish: () => unknown = () => undefined;
    const mayFinish = new Promise<void>((resolve) => (finish = resolve));
    open(
      take('the first', () => mayFinish),
      quick,
    );
    await queues.enqueueVerification(long);
    await until(() => taken.length === 1, 'the long job runs');
    const crashed = open(
      take('the crashing', () => new Promise(() => undefined)),
      quick,
    );
    await queues.enqueueVerification(crashing);
    await until(() => taken.length === 2, 'the other job runs');
    void crashed.close(true);
    // When the lock of the other job has ended, that of the long job, which is older, would have ended too.
    open(
      take('the last', () => Promise.resolve()),
      { ...quick, concurrency: 2 },
    );
    await until(() => taken.length > 2, 'the other job is given to another worker');
    finish();
    await until(isEmpty, 'both jobs are done');
    expect(taken).toEqual(['the first takes the long job', 'the crashing takes the other', 'the last takes the other']);
  });

  test('a job that throws runs again later, without using up an attempt', async () => {
    let runs = 0;
    open(async () => {
      if (++runs < 3) throw new Error('an internal error');
    });
    await queues.enqueueVerification(randomUUID());
    await until(async () => runs === 3 && (await isEmpty()), 'it has run three times');
  });

  test('a job whose workers crash again and again is ended, and the jobs beside it are not', async () => {
    const ended: string[] = [];
    const done = new Set<string>();
    const poison = randomUUID();
    const others = Array.from({ length: 10 }, () => randomUUID());
    for (const id of [others[0], poison, ...others.slice(1)]) await queues.enqueueVerification(id ?? '');
    let crashes = 0;
    let crash: () => unknown = () => undefined;
    const log = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
    const start = () => {
      // A process that crashes renews no locks and finishes no jobs.
      const consumer = new Consumer({ engine, log }, verificationQueue, {
        concurrency: 5,
        settings: { ...quick, maxStalledCount: 3 },
        handler: {
          async handle({ data }) {
            const { verificationId } = data as { verificationId: string };
            if (verificationId === poison) {
              crashes++;
              crash();
              return new Promise(() => undefined);
            }
            done.add(verificationId);
            return { type: 'complete' };
          },
          giveUp: async ({ data }) => void ended.push((data as { verificationId: string }).verificationId),
        },
      });
      consumers.push(consumer);
      crash = () => {
        void consumer.close(true);
        setTimeout(start, 50);
      };
    };
    start();
    await until(async () => ended.length > 0 && done.size === others.length && (await isEmpty()), 'all have ended');
    expect(ended).toEqual([poison]);
    expect(crashes).toBe(4);
  });

  test('a closed consumer finishes its running job and fetches no other', async () => {
    let finish: () => unknown = () => undefined;
    const mayFinish = new Promise<void>((resolve) => (finish = resolve));
    let runs = 0;
    const consumer = open(async () => {
      runs++;
      await mayFinish;
    });
    await queues.enqueueVerification(randomUUID());
    await until(() => runs === 1, 'it runs');
    await queues.enqueueVerification(randomUUID());
    const closing = consumer.close();
    finish();
    await closing;
    expect(await queues.readHealth(verificationQueue)).toMatchObject({ waiting: 1, active: 0 });
    expect(runs).toBe(1);
  });

  test('an idle consumer closes without waiting for a job', async () => {
    const consumer = open(async () => undefined);
    await queues.enqueueVerification(randomUUID());
    await until(async () => consumer.fetchedCount() === 1 && (await isEmpty()), 'it has had a job');
    await consumer.close();
  });

  test('a consumer that was replaced goes on with a new connection', async () => {
    let runs = 0;
    const consumer = open(async () => void runs++);
    await queues.enqueueVerification(randomUUID());
    await until(() => runs === 1, 'it runs');
    consumer.restart();
    await queues.enqueueVerification(randomUUID());
    await until(() => runs === 2, 'it runs again');
  });
});
