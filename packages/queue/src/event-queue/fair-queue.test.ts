import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { backends, createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { collectErrors } from '../errors.fixture.js';
import type { QueueEngine, WorkerHandle } from '../queue-engine.js';
import type { EventJobData } from '../jobs.js';
import { openQueueEngine } from '../open-queue-engine.js';
import { openQueues, type Queues } from '../queues.js';

describe.each(backends)('a flood in an event queue on $name', ({ redisUrl }) => {
  let database: TestDatabase;
  let engine: QueueEngine;
  let queues: Queues;
  let workers: WorkerHandle[];
  let taken: string[];
  let { errors, addError } = collectErrors();

  beforeEach(async () => {
    ({ errors, addError } = collectErrors());
    database = await createTestDatabase();
    const settings = {
      redisUrl,
      databaseUrl: database.url,
      redisTimeoutMs: 60_000,
      prefix: `test_${randomBytes(6).toString('hex')}`,
    };
    engine = openQueueEngine(settings);
    queues = openQueues({ ...settings, onError: addError });
    workers = [];
    taken = [];
  });

  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await queues.close();
    await engine.close();
    expect(errors).toEqual([]);
    await database.drop();
  });

  const push = (name: string, data: Partial<EventJobData>, count = 1) =>
    queues.pushEvents(
      'sms',
      Array.from({ length: count }, (_, index) => ({ name, data: { payload: { id: `${name} ${index}` }, ...data } })),
    );
  const openWorker = (concurrency: number) => {
    const take = async ({ data }: { data: EventJobData }) => {
      taken.push(String((JSON.parse(String(data.payload)) as { id: unknown }).id));
      await sleep(1);
    };
    const settings = { concurrency, removeOnComplete: { count: 0 } };
    workers.push(engine.openWorker('sms-events', take, settings, addError));
  };
  const isEmpty = async () =>
    Object.values((await queues.countJobsByQueue())['sms-events']).every((count) => count === 0);

  test('does not delay events of another account or for another webhook by its whole length', async () => {
    await push('flood', { account_id: 'a', webhook_id: 'hung' }, 1_500);
    await push('other account', { account_id: 'b' }, 2);
    await push('other webhook', { account_id: 'a', webhook_id: 'healthy' }, 2);
    await push('no account', { identity: 'number:1' });
    openWorker(1);
    await until(isEmpty, 'all are taken');
    expect(taken).toHaveLength(1_505);
    expect(new Set(taken).size).toBe(1_505);
    for (const id of ['other account 1', 'other webhook 1', 'no account 0'])
      expect([id, taken.indexOf(id) < 750]).toEqual([id, true]);
  });

  test('does not delay an event with a priority for ever while other events keep arriving', async () => {
    await queues.open('sms-events').add('urgent', { payload: { id: 'urgent' } }, { priority: 5 });
    await push('stream', { account_id: 'a' }, 10);
    const take = async ({ name }: { name: string }) => {
      taken.push(name);
      // Another event always waits.
      if (!taken.includes('urgent')) await push('stream', { account_id: 'a' });
    };
    workers.push(engine.openWorker('sms-events', take, { concurrency: 1, removeOnComplete: { count: 0 } }, addError));
    await until(() => taken.includes('urgent'), 'it is taken').finally(() => taken.push('urgent'));
  });

  test('is taken once by several workers that reorder it at the same time', async () => {
    for (let n = 0; n < 4; n++) await push(`flood ${n}`, { account_id: String(n) }, 500);
    for (let n = 0; n < 3; n++) openWorker(20);
    await push('late', { account_id: 'late' }, 100);
    await until(isEmpty, 'all are taken');
    expect(taken).toHaveLength(2_100);
    expect(new Set(taken).size).toBe(2_100);
  });

  test('may contain data of any kind', async () => {
    const large = 'x'.repeat(200_000);
    await push('large', { account_id: 'a', payload: { id: 'large', large } }, 5);
    await push(
      'unexpected types',
      { account_id: 7, webhook_id: null, payload: { id: 'unexpected types', account_id: '"' } } as never,
      60,
    );
    await push('quoted', { payload: '{"id":"quoted","text":"\\"account_id\\":\\"b\\""}' }, 60);
    openWorker(1);
    await until(isEmpty, 'all are taken');
    const count = (id: string) => taken.filter((other) => other === id).length;
    expect(['large', 'unexpected types', 'quoted'].map(count)).toEqual([5, 60, 60]);
  });

  test('counts as waiting after it was reordered, and can be drained', async () => {
    await push('flood', { account_id: 'a' }, 1_000);
    openWorker(1);
    await until(() => taken.length > 100, 'jobs were reordered');
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    const left = 1_000 - taken.length;
    expect(await queues.countFetchable('sms-events')).toBe(left);
    expect(await queues.readOldestPushTime('sms-events')).not.toBeNull();
    await queues.open('sms-events').drain();
    expect(await queues.countFetchable('sms-events')).toBe(0);
  });
});
