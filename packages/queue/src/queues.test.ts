import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { backends, createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import type { Backend, QueueHandle, WorkerHandle, WorkerSettings } from './backend.js';
import { deliveryQueues, ingressQueues, queueNames } from './names.js';
import { openBackend, openQueues, type Queues } from './queues.js';

type Seen = { id?: string | undefined; name: string; data: unknown };

describe.each(backends)('the queues on $name', ({ redisUrl }) => {
  let database: TestDatabase;
  let backend: Backend;
  let queues: Queues;
  const handles = new Map<string, QueueHandle>();
  const workers: WorkerHandle[] = [];
  const errors: Error[] = [];
  const note = (error: Error) => void errors.push(error);

  beforeAll(async () => {
    database = await createTestDatabase();
    const settings = { redisUrl, databaseUrl: database.url, prefix: `test_${randomBytes(6).toString('hex')}` };
    backend = openBackend(settings);
    queues = openQueues({ ...settings, onError: note });
  });

  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await Promise.all([...handles.values()].map((handle) => handle.close()));
    await queues.close();
    await backend.close();
    expect(errors).toEqual([]);
    await database.drop();
  });

  const handleOf = (name: string) => {
    const handle = handles.get(name) ?? backend.openQueue(name, note);
    handles.set(name, handle);
    return handle;
  };
  const jobOf = async (name: string, id: string) => {
    const job = await handleOf(name).getJob(id);
    if (!job) throw new Error(`${name} has no job ${id}`);
    return job;
  };
  const work = (name: string, settings: WorkerSettings = {}, act: () => void = () => undefined) => {
    const seen: Seen[] = [];
    const take = async ({ id, name: event, data }: Seen) => {
      seen.push({ id, name: event, data });
      act();
    };
    const worker = backend.openWorker(name, take, { removeOnComplete: { count: 0 }, ...settings }, note);
    workers.push(worker);
    return { seen, stop: () => worker.close() };
  };
  const waiting = async (name: (typeof queueNames)[number]) => {
    const { waiting: ready = 0, delayed = 0, active = 0 } = (await queues.depths())[name];
    return ready + delayed + active;
  };

  test('payload and event ids that mean something to BullMQ break nothing', async () => {
    const ids = [
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
    const all = [...ids, '123', '0', '0:123', `${randomUUID()}:1`, '', ' ', '../..', 'bullmq:rateLimitExceeded'];
    const event = (id: string) => ({
      name: 'sms:message:status',
      data: { account_id: id, event_id: id, payload: { id } },
    });
    await queues.pushEvents('sms', all.map(event));
    for (const id of all) await queues.pushEvents('sms', [event(id)]);
    expect(await waiting(ingressQueues.sms)).toBe(2 * all.length);
    const { seen, stop } = work(ingressQueues.sms, { concurrency: 10 });
    await until(() => seen.length === 2 * all.length, 'every event has come');
    expect(seen.filter(({ id }) => id === undefined || all.slice(0, 11).includes(id))).toEqual([]);
    await until(async () => (await waiting(ingressQueues.sms)) === 0, 'the queue is empty');
    await stop();
  });

  test('a payload arrives as it was sent: the order of its keys, its decimals, NUL and half a character', async () => {
    const payload = { zeta: '2.0000', id: 'x', alpha: { b: 1, a: [null, {}] }, text: 'a\u0000b \ud800 "\\ 😀' };
    const text = '{ "z": 1.0, "id":"y",  "a": 2 }';
    const name = 'rcs:message:in';
    await queues.pushEvents('rcs', [
      { name, data: { account_id: 'a', payload } },
      { name, data: { webhook_id: 'b', payload: text } },
      { name, data: { payload: null } },
    ]);
    const { seen, stop } = work(ingressQueues.rcs);
    await until(() => seen.length === 3, 'every event has come');
    expect(seen.map(({ data }) => data)).toEqual([
      { account_id: 'a', payload: JSON.stringify(payload) },
      { webhook_id: 'b', payload: text },
      { payload: null },
    ]);
    await stop();
  });

  test('a delivery has one job however often it is queued, which carries ids only and no stack traces', async () => {
    const id = randomUUID();
    const delivery = { id, channel: 'sms' as const, dueInMs: 600_000 };
    await queues.enqueueDeliveries([delivery, delivery]);
    await queues.enqueueDeliveries([{ ...delivery, dueInMs: 5 }]);
    expect(await waiting(deliveryQueues.sms)).toBe(1);
    const job = await jobOf(deliveryQueues.sms, `deliver-${id}`);
    expect([await job.getState(), job.delay, job.data]).toEqual(['delayed', 600_000, { deliveryId: id }]);
    expect(job.opts).toMatchObject({
      attempts: 1_000_000,
      stackTraceLimit: 0,
    });
  });

  test('a batch that is repeated with one more adds just that one', async () => {
    const batch = Array.from({ length: 50 }, () => ({ id: randomUUID(), channel: 'rcs' as const, dueInMs: 600_000 }));
    await Promise.all([queues.enqueueDeliveries(batch), queues.enqueueDeliveries(batch)]);
    await queues.enqueueDeliveries([...batch, { id: randomUUID(), channel: 'rcs', dueInMs: 600_000 }]);
    expect(await waiting(deliveryQueues.rcs)).toBe(51);
    await queues.enqueueDeliveries([]);
    expect(await waiting(deliveryQueues.rcs)).toBe(51);
  });

  test('deliveries of both channels in one batch go to their own queues', async () => {
    const [sms, rcs] = [randomUUID(), randomUUID()];
    await queues.enqueueDeliveries([
      { id: sms, channel: 'sms', dueInMs: 600_000 },
      { id: rcs, channel: 'rcs', dueInMs: 600_000 },
    ]);
    expect((await jobOf(deliveryQueues.sms, `deliver-${sms}`)).data).toEqual({ deliveryId: sms });
    expect((await jobOf(deliveryQueues.rcs, `deliver-${rcs}`)).data).toEqual({ deliveryId: rcs });
  });

  test('a delivery that is due later is not taken before, and one that is due is taken at once', async () => {
    const at: number[] = [];
    const { seen, stop } = work(deliveryQueues.sms, {}, () => at.push(Date.now()));
    const [now, later] = [randomUUID(), randomUUID()];
    const pushedAt = Date.now();
    await queues.enqueueDeliveries([
      { id: later, channel: 'sms', dueInMs: 1_000 },
      { id: now, channel: 'sms', dueInMs: 0 },
    ]);
    await until(() => seen.length === 2, 'both have been taken');
    expect(seen.map(({ data }) => data)).toEqual([{ deliveryId: now }, { deliveryId: later }]);
    expect((at[1] ?? 0) - pushedAt).toBeGreaterThanOrEqual(1_000);
    await stop();
  });

  test('a job that failed keeps its place, its backoff and no trace of the error', async () => {
    const id = randomUUID();
    const fail = () => {
      throw new Error('the attempt failed');
    };
    const { seen, stop } = work(deliveryQueues.sms, { settings: { backoffStrategy: () => 600_000 } }, fail);
    await queues.enqueueDeliveries([{ id, channel: 'sms', dueInMs: 0 }]);
    const state = async () => (await jobOf(deliveryQueues.sms, `deliver-${id}`)).getState();
    await until(async () => seen.length > 0 && (await state()) === 'delayed', 'it waits again');
    expect((await jobOf(deliveryQueues.sms, `deliver-${id}`)).stacktrace).toEqual([]);
    await stop();
  });

  test('a finished delivery leaves nothing behind, and its id can be used again', async () => {
    const id = randomUUID();
    const before = await queues.depths();
    const { seen, stop } = work(deliveryQueues.rcs);
    for (const count of [1, 2]) {
      await queues.enqueueDeliveries([{ id, channel: 'rcs', dueInMs: 0 }]);
      await until(() => seen.length === count, 'it has been taken');
      await until(async () => !(await handleOf(deliveryQueues.rcs).getJob(`deliver-${id}`)), 'it is gone');
    }
    expect((await queues.depths())[deliveryQueues.rcs]).toEqual(before[deliveryQueues.rcs]);
    await stop();
  });

  test('the job of a delivery can be dropped, but out of the hands of a worker', async () => {
    const [later, held, none] = [randomUUID(), randomUUID(), randomUUID()].map((id) => ({
      id,
      channel: 'sms' as const,
    }));
    await queues.enqueueDeliveries([{ ...later!, dueInMs: 600_000 }]);
    expect(await queues.dropJob(later!)).toBe(true);
    expect(await queues.queuedDeliveries('sms')).not.toContain(later!.id);
    expect(await queues.dropJob(none!)).toBe(true);

    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const hold = async () => {
      taken = true;
      await released;
    };
    let taken = false;
    const worker = backend.openWorker(deliveryQueues.sms, hold, { removeOnComplete: { count: 0 } }, note);
    workers.push(worker);
    await queues.enqueueDeliveries([{ ...held!, dueInMs: 0 }]);
    await until(() => taken, 'it has been taken');
    expect(await queues.dropJob(held!)).toBe(false);
    release();
    await until(() => queues.dropJob(held!), 'it is gone');
    await worker.close();
  });

  test('a verification has one job', async () => {
    const id = randomUUID();
    await queues.enqueueVerification(id);
    await queues.enqueueVerification(id);
    expect((await jobOf('verifications', `verify-${id}`)).data).toEqual({ verificationId: id });
    expect(await waiting('verifications')).toBe(1);
  });

  test('what waits in a queue that is paused still waits, and is seen', async () => {
    const name = deliveryQueues.rcs;
    const ids = Array.from({ length: 4 }, () => randomUUID());
    const dueInMs = [0, 0, 600_000, 0];
    const deliveries = ids.map((id, at) => ({ id, channel: 'rcs' as const, dueInMs: dueInMs[at]!, attempts: at % 2 }));
    await queues.enqueueDeliveries(deliveries.slice(0, 3));
    const [oldest, before] = [await queues.oldestWaiting(name), (await queues.depths())[name]];
    await queues.onShards(name, (shard) => shard.pause());
    await queues.enqueueDeliveries(deliveries.slice(3));
    expect((await queues.depths())[name]).toEqual({ ...before, prioritized: 2 });
    expect(before).toMatchObject({ waiting: 1, prioritized: 1 });
    const queued = await queues.queuedDeliveries('rcs');
    expect(ids.filter((id) => !queued.has(id))).toEqual([]);
    expect(await queues.dropJob(deliveries[1]!)).toBe(true);
    expect(await queues.dropJob(deliveries[3]!)).toBe(true);
    expect(await queues.oldestWaiting(name)).toEqual(oldest);
    expect(await queues.waiting(name)).toBe(0);
    await queues.onShards(name, (shard) => shard.resume());
    expect(await queues.waiting(name)).toBe(1);
  });

  test('the depths name every queue', async () => {
    expect(Object.keys(await queues.depths()).sort()).toEqual([...queueNames].sort());
    await queues.ping();
  });
});
