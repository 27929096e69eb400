import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createPostgresBackend, FlowProducer, type JobsOptions, type JobType, Queue, withBackend } from 'bullmq';
import { backends, createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { consume } from './consumer.fixture.js';
import type { Consumer } from './consumer.js';
import type { QueueEngine } from './engine.js';
import { openQueueEngine } from './producer.js';

/** Names and values of options that a platform may set with BullMQ's own client. */
const options: [string, JobsOptions][] = [
  ['a delay', { delay: 300 }],
  ['lifo', { lifo: true }],
  ['the last priority', { priority: 2 ** 21 - 1 }],
  ['kept when finished', { removeOnComplete: false, removeOnFail: false }],
  ['kept by number', { removeOnComplete: 5, removeOnFail: { age: 1 } }],
  ['a deduplication', { deduplication: { id: 'one' } }],
  ['a deduplication for a time', { deduplication: { id: 'two', ttl: 5_000 } }],
  [
    'a deduplication that replaces',
    { deduplication: { id: 'three', ttl: 200, extend: true, replace: true }, delay: 200 },
  ],
  ['no attempts', { attempts: 0 }],
  ['absurd attempts', { attempts: 1e9 }],
  ['an unknown backoff', { attempts: 3, backoff: { type: 'unheard', delay: -1 } }],
  ['a size limit', { sizeLimit: 1_000 }],
  ['a time in the far past', { timestamp: 1 }],
  ['a time in the far future', { timestamp: 8_000_000_000_000 }],
  ['logs', { keepLogs: 0, stackTraceLimit: 1_000_000 }],
  ['failures of a parent', { failParentOnFailure: true }],
];

type PlatformQueue = {
  add(name: string, data: object, options?: JobsOptions): Promise<unknown>;
  getJobCounts(...states: JobType[]): Promise<Record<string, number>>;
  upsertJobScheduler(id: string, repeat: { every: number }, template: { name: string; data: object }): Promise<unknown>;
  on(event: 'error', listener: () => void): unknown;
  close(): Promise<void>;
};

describe.each(backends)("a platform's own client on $name", ({ redisUrl }) => {
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const connection = { url: redisUrl ?? '' };
  const taken: string[] = [];
  let database: TestDatabase;
  let engine: QueueEngine;
  let worker: Consumer;
  let queue: PlatformQueue;

  beforeAll(async () => {
    database = await createTestDatabase();
    engine = openQueueEngine({ redisUrl, databaseUrl: database.url, prefix, redisTimeoutMs: 60_000 });
    const take = async ({ data }: { data: { id: string } }) => void taken.push(data.id);
    const settings = { stalledInterval: 500, lockDuration: 2_000 };
    worker = consume(engine, 'sms-events', take, settings);
    const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
    const postgresConnection = { connectionString: database.url, schema: prefix, migrate: true };
    queue = redisUrl
      ? new Queue('sms-events', { connection, prefix })
      : new PostgresQueue('sms-events', { connection: postgresConnection });
    queue.on('error', () => undefined);
  });
  afterAll(async () => {
    await queue.close();
    await worker.close();
    await engine.close();
    await database.drop();
  });

  const count = (id: string) => taken.filter((takenId) => takenId === id).length;
  const isIdle = async () => Object.values(await queue.getJobCounts('wait', 'active')).every((jobs) => jobs === 0);

  test('an event with any job options is taken once, and so is the next event', async () => {
    const failures: unknown[] = [];
    for (const [name, opts] of options) {
      try {
        await until(isIdle, 'the queue is empty');
        await queue.add('sms:message:status', { id: name }, opts).catch(() => undefined);
        await until(() => queue.add('x', { id: `after ${name}` }).catch(() => undefined), 'a job can be pushed');
        await until(
          () => count(name) > 0 && count(`after ${name}`) > 0,
          () => `${name} is taken`,
        );
      } catch (error) {
        failures.push(String(error));
      }
    }
    expect(failures).toEqual([]);
    expect(taken.filter((id) => count(id) !== 1)).toEqual([]);
  });

  test('a scheduler pushes only one event', async () => {
    await queue.upsertJobScheduler('often', { every: 50 }, { name: 'sms:message:status', data: { id: 'scheduled' } });
    await until(() => count('scheduled') > 0);
    // By the time that this job is taken, the scheduler could have pushed ten more.
    await queue.add('x', { id: 'later' }, { delay: 500 });
    await until(() => count('later') > 0);
    expect(count('scheduled')).toBe(1);
  });
});

const [, redis] = backends;
(redis ? test : test.skip)('a parent and its child in the event queue are taken once each', async () => {
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const engine = openQueueEngine({ redisUrl: redis?.redisUrl, databaseUrl: '', prefix, redisTimeoutMs: 60_000 });
  const taken: string[] = [];
  const worker = consume(engine, 'sms-events', async ({ data }) => void taken.push(data.id));
  const flow = new FlowProducer({ connection: { url: redis?.redisUrl ?? '' }, prefix });
  const child = { name: 'x', queueName: 'sms-events', data: { id: 'child' }, opts: { failParentOnFailure: true } };
  await flow.add({ name: 'x', queueName: 'sms-events', data: { id: 'parent' }, children: [child] });
  await until(() => taken.length === 2);
  expect(taken).toEqual(['child', 'parent']);
  await flow.close();
  await worker.close();
  await engine.close();
});
