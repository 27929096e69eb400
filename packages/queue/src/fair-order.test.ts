import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { backends, createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { consume } from './consumer.fixture.js';
import type { Consumer } from './consumer.js';
import type { QueueEngine } from './engine.js';
import { FairOrder } from './fair-order.js';
import type { EventJobData } from './jobs.js';
import { openQueueEngine, openQueues, type Queues } from './producer.js';

describe.each(backends)('a flood in an event queue on $name', ({ name, redisUrl }) => {
  let database: TestDatabase;
  let engine: QueueEngine;
  let queues: Queues;
  let consumer: Consumer | undefined;
  let taken: string[];
  let errors: unknown[];

  beforeEach(async () => {
    database = await createTestDatabase();
    const prefix = `test_${randomBytes(6).toString('hex')}`;
    const settings = { redisUrl, databaseUrl: database.url, redisTimeoutMs: 60_000, prefix };
    engine = openQueueEngine(settings);
    queues = openQueues({ ...settings, onError: (error) => errors.push(error) });
    consumer = undefined;
    taken = [];
    errors = [];
  });
  afterEach(async () => {
    await consumer?.close(true);
    await queues.close();
    await engine.close();
    await database.drop();
    expect(errors).toEqual([]);
  });

  const push = (name: string, data: Partial<EventJobData>, count = 1) =>
    queues.pushEvents(
      'sms',
      Array.from({ length: count }, (_, index) => ({ name: `${name} ${index}`, data: { payload: '{}', ...data } })),
    );
  const order = async (rounds = 1) => {
    const queue = queues.open('sms-events');
    const log = { error: (_event: string, fields?: object) => void errors.push(fields) };
    const fairOrder = new FairOrder({
      queue,
      consumer: { fetchedCount: () => 0 },
      limits: { maxSeen: 1_000, maxRead: 1_000 },
      log,
    });
    for (let round = 0; round < rounds; round++) await fairOrder.order();
    await fairOrder.stop();
  };
  const takeAll = async (count: number) => {
    consumer = consume(engine, 'sms-events', async ({ name }: { name: string }) => void taken.push(name));
    await until(() => taken.length >= count, 'all are taken');
  };

  test('comes after the events of other accounts and for other webhooks', async () => {
    await push('flood', { account_id: 'a', webhook_id: 'hung' }, 300);
    await push('other account', { account_id: 'b' }, 2);
    await push('other webhook', { account_id: 'a', webhook_id: 'healthy' }, 2);
    await push('no account', { identity: 'number:1' });
    await order(2);
    await takeAll(305);
    const others = ['other account 0', 'other account 1', 'other webhook 0', 'other webhook 1', 'no account 0'];
    if (name === 'redis') expect(taken.slice(0, 5)).toEqual(others);
    // BullMQ has two connections there.
    else expect(new Set(taken.slice(0, 5))).toEqual(new Set(others));
    expect(taken.slice(5)).toEqual(Array.from({ length: 300 }, (_, index) => `flood ${index}`));
  });

  test('comes after the events of other accounts although each of its events names another webhook', async () => {
    const webhooks = Array.from({ length: 300 }, (_, index) => index);
    for (const index of webhooks) await push('flood', { account_id: 'a', webhook_id: `webhook ${index}` });
    await push('other', { account_id: 'b' });
    await order();
    await takeAll(301);
    expect(taken[0]).toBe('other 0');
  });

  test('keeps the order of arrival while nobody pushes most of the events', async () => {
    for (let index = 0; index < 60; index++) await push(`account ${index}`, { account_id: String(index) }, 4);
    await order();
    await takeAll(240);
    expect(taken.slice(0, 5)).toEqual(['account 0 0', 'account 0 1', 'account 0 2', 'account 0 3', 'account 1 0']);
  });

  test('may contain data of any kind', async () => {
    const large = 'x'.repeat(200_000);
    await push('large', { account_id: 'a', payload: large }, 20);
    await push('unexpected types', { account_id: 7, webhook_id: null, payload: { account_id: '"' } } as never, 200);
    await push('other', { account_id: 'b' });
    await order(2);
    await takeAll(221);
    expect(taken[0]).toBe('other 0');
    expect(taken).toContain('large 19');
  });

  test('is ordered while jobs that are gone are moved', async () => {
    const queue = queues.open('sms-events');
    await push('event', { account_id: 'a' });
    const [id = ''] = await queue.getRanges(['waiting']);
    await takeAll(1);
    await until(async () => (await queue.getJob(id)) === undefined, 'the job is gone');
    await queue.moveToFront([id]);
    expect(await queue.readData([id])).toHaveLength(1);
  });
});
