import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { backends, createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import { consume } from './consumer.fixture.js';
import type { Consumer } from './consumer.js';
import type { QueueEngine, QueueHandle } from './engine.js';
import { eventQueues, queueNames, testCallQueue, verificationQueue } from './jobs.js';
import { openQueueEngine } from './producer.js';
import { openQueues, Queues } from './producer.js';
import { createIds, enqueueVerifications } from './verification-jobs.fixture.js';

type SeenJob = { name: string; data: unknown };

describe.each(backends)('the queues on $name', ({ redisUrl }) => {
  let database: TestDatabase;
  let engine: QueueEngine;
  let queues: Queues;
  const handles = new Map<string, QueueHandle>();
  const workers: Consumer[] = [];
  const errors: Error[] = [];
  const addError = (error: Error) => void errors.push(error);

  beforeAll(async () => {
    database = await createTestDatabase();
    const settings = {
      redisUrl,
      databaseUrl: database.url,
      redisTimeoutMs: 60_000,
      prefix: `test_${randomBytes(6).toString('hex')}`,
    };
    engine = openQueueEngine(settings);
    queues = openQueues({ ...settings, onError: addError });
  });

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await Promise.all([...handles.values()].map((handle) => handle.close()));
    await queues.close();
    await engine.close();
    expect(errors).toEqual([]);
    await database.drop();
  });

  const handleOf = (name: string) => {
    const handle = handles.get(name) ?? engine.openQueue(name, addError);
    handles.set(name, handle);
    return handle;
  };
  const jobOf = async (name: string, id: string) => {
    const job = await handleOf(name).getJob(id);
    if (!job) throw new Error(`${name} has no job ${id}`);
    return job;
  };
  const openWorker = (name: string, settings: { concurrency?: number } = {}, run: () => void = () => undefined) => {
    const seen: SeenJob[] = [];
    const take = async ({ name: event, data }: SeenJob) => {
      seen.push({ name: event, data });
      run();
    };
    const worker = consume(engine, name, take, { ...settings, onError: addError });
    workers.push(worker);
    return { seen, stop: () => worker.close() };
  };
  const countUnfinished = async (name: (typeof queueNames)[number]) => {
    const { waiting = 0, delayed = 0, active = 0 } = (await queues.countJobsByQueue())[name];
    return waiting + delayed + active;
  };

  test('payload, event and account ids with a meaning in BullMQ break nothing', async () => {
    const keyNames = [
      'delayed',
      'active',
      'failed',
      'completed',
      'stalled',
      'limiter',
      'pc',
      'meta',
      'wait',
      'id',
      'events',
    ];
    const ids = [...keyNames, '123', '0', '0:123', `${randomUUID()}:1`, '', ' ', '../..', 'bullmq:rateLimitExceeded'];
    const event = (id: string) => ({
      name: 'sms:message:status',
      data: { account_id: id, event_id: id, payload: { id } },
    });
    await queues.pushEvents('sms', ids.map(event));
    for (const id of ids) await queues.pushEvents('sms', [event(id)]);
    expect(await countUnfinished(eventQueues.sms)).toBe(2 * ids.length);
    const { seen, stop } = openWorker(eventQueues.sms, { concurrency: 10 });
    await until(() => seen.length === 2 * ids.length, 'every event is taken');
    await until(async () => (await countUnfinished(eventQueues.sms)) === 0, 'the queue is empty');
    await stop();
  });

  test('a payload arrives unchanged: the order of its keys, decimals, NUL and lone surrogates', async () => {
    const payload = { zeta: '2.0000', id: 'x', alpha: { b: 1, a: [null, {}] }, text: 'a\u0000b \ud800 "\\ 😀' };
    const text = '{ "z": 1.0, "id":"y",  "a": 2 }';
    const name = 'rcs:message:in';
    await queues.pushEvents('rcs', [
      { name, data: { account_id: 'a', payload } },
      { name, data: { webhook_id: 'b', payload: text } },
      { name, data: { payload: null } },
    ]);
    const { seen, stop } = openWorker(eventQueues.rcs);
    await until(() => seen.length === 3, 'every event is taken');
    expect(seen.map(({ data }) => data)).toEqual([
      { account_id: 'a', payload: JSON.stringify(payload) },
      { webhook_id: 'b', payload: text },
      { payload: null },
    ]);
    await stop();
  });

  test('a verification that is queued several times has one job, with only its id and no stack traces', async () => {
    const id = randomUUID();
    const before = await countUnfinished(verificationQueue);
    await enqueueVerifications(queues, [id, id], 600_000);
    await queues.enqueueVerification(id);
    expect(await countUnfinished(verificationQueue)).toBe(before + 1);
    const job = await jobOf(verificationQueue, `verify-${id}`);
    expect([await job.getState(), job.delay, job.data]).toEqual(['delayed', 600_000, { verificationId: id }]);
  });

  test('a repeated batch with one more job adds only that job', async () => {
    const ids = createIds(50);
    const before = await countUnfinished(verificationQueue);
    await Promise.all([enqueueVerifications(queues, ids, 600_000), enqueueVerifications(queues, ids, 600_000)]);
    await enqueueVerifications(queues, [...ids, randomUUID()], 600_000);
    expect(await countUnfinished(verificationQueue)).toBe(before + 51);
    const queued = await queues.listQueuedVerifications();
    expect(ids.filter((id) => !queued.has(id))).toEqual([]);
    await queues.pushEvents('sms', []);
    expect(await countUnfinished(eventQueues.sms)).toBe(0);
  });

  test('a verification is taken when it is due, not before', async () => {
    const takenAt: number[] = [];
    const { seen, stop } = openWorker(verificationQueue, {}, () => takenAt.push(Date.now()));
    const [now, later] = [randomUUID(), randomUUID()];
    const pushedAt = Date.now();
    await enqueueVerifications(queues, [later], 1_000);
    await queues.enqueueVerification(now);
    await until(() => seen.length === 2, 'both have been taken');
    expect(seen.map(({ data }) => data)).toEqual([{ verificationId: now }, { verificationId: later }]);
    expect((takenAt[1] ?? 0) - pushedAt).toBeGreaterThanOrEqual(1_000);
    await stop();
  });

  test('a finished job leaves nothing behind, and its id can be used again', async () => {
    const id = randomUUID();
    const before = await queues.countJobsByQueue();
    const { seen, stop } = openWorker(verificationQueue);
    for (const count of [1, 2]) {
      await queues.enqueueVerification(id);
      await until(() => seen.length === count, 'it has been taken');
      await until(async () => !(await handleOf(verificationQueue).getJob(`verify-${id}`)), 'it is gone');
    }
    expect((await queues.countJobsByQueue())[verificationQueue]).toEqual(before[verificationQueue]);
    await stop();
  });

  test('a verification and a test call with the same id have a job each, in separate queues', async () => {
    const id = randomUUID();
    await queues.enqueueVerification(id);
    await queues.enqueueTestCall(id);
    expect((await jobOf(verificationQueue, `verify-${id}`)).data).toEqual({ verificationId: id });
    expect((await jobOf(testCallQueue, `test-${id}`)).data).toEqual({ testCallId: id });
  });

  test('jobs in a paused queue keep waiting and are counted', async () => {
    const name = verificationQueue;
    await queues.open(name).drain(true);
    const ids = createIds(3);
    await queues.enqueueVerification(ids[0]!);
    await enqueueVerifications(queues, [ids[1]!], 600_000);
    const { oldestWaitingAt } = await queues.readHealth(name);
    const before = (await queues.countJobsByQueue())[name];
    expect(before).toMatchObject({ waiting: 1, delayed: 1 });
    await queues.open(name).pause();
    await queues.enqueueVerification(ids[2]!);
    expect((await queues.countJobsByQueue())[name]).toEqual({ ...before, waiting: 2 });
    expect(await queues.readHealth(name)).toMatchObject({ oldestWaitingAt, limits: ['the queue is paused'] });
    expect(await queues.listQueuedVerifications()).toEqual(new Set(ids));
    await queues.open(name).resume();
    expect(await queues.readHealth(name)).toMatchObject({ waiting: 2, limits: [] });
  });

  test('the job counts include every queue', async () => {
    expect(Object.keys(await queues.countJobsByQueue()).sort()).toEqual([...queueNames].sort());
    await queues.check();
  });

  test('closing queues leaves an engine open that the caller opened', async () => {
    const shared = new Queues(engine, { onError: addError });
    const { waiting } = await shared.readHealth(verificationQueue);
    await shared.close();
    const other = new Queues(engine, { onError: addError });
    expect(await other.readHealth(verificationQueue)).toMatchObject({ waiting });
    await other.close();
  });
});
