import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { backends, createTestDatabase, type TestDatabase, until } from '@ringback/testing';
import type { QueueEngine, WorkerHandle, WorkerSettings } from '../queue-engine.js';
import { verificationQueue } from '../queue-names.js';
import { openQueueEngine } from '../open-queue-engine.js';
import { openQueues, type Queues } from '../queues.js';
import { createIds, enqueueVerifications, type VerificationJob } from '../verification-jobs.fixture.js';

type Run = (verificationId: string) => Promise<void>;

describe.each(backends)('a worker on $name', ({ redisUrl }) => {
  let database: TestDatabase;
  let engine: QueueEngine;
  let queues: Queues;
  const workers: WorkerHandle[] = [];
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
    await queues.close();
    await engine.close();
    expect(errors).toEqual([]);
    await database.drop();
  });

  const push = async (count: number) => {
    const ids = createIds(count);
    await enqueueVerifications(queues, ids);
    return ids;
  };
  const openWorker = (settings: WorkerSettings, run: Run) => {
    const take = ({ data }: VerificationJob) => run(data.verificationId);
    const common = { removeOnComplete: { count: 0 }, settings: { backoffStrategy: () => 1 } };
    const worker = engine.openWorker(verificationQueue, take, { ...common, ...settings }, addError);
    workers.push(worker);
    return worker;
  };
  const countJobs = async () => (await queues.countJobsByQueue())[verificationQueue];
  const isEmpty = async () => Object.values(await countJobs()).every((count) => count === 0);

  test('starts the first job, and fetches others meanwhile', async () => {
    await push(200);
    // The first job counts the active jobs, the others add 0.
    const activeCounts: number[] = [];
    const worker = openWorker({ concurrency: 200 }, async () => {
      activeCounts.push(activeCounts.length === 0 ? ((await countJobs())['active'] ?? 0) : 0);
    });
    await until(isEmpty, 'all jobs are done');
    expect(activeCounts).toHaveLength(200);
    // BullMQ by itself fetches all 200 before it begins.
    expect(Math.max(...activeCounts)).toBeLessThan(150);
    await worker.close();
  });

  test('runs each job once, retries failed jobs, and never exceeds its concurrency', async () => {
    const ids = await push(120);
    const failing = new Set(ids.filter((_, index) => index % 3 === 0));
    const startCounts = new Map<string, number>();
    let running = 0;
    let maxRunning = 0;
    const worker = openWorker({ concurrency: 12 }, async (id) => {
      startCounts.set(id, (startCounts.get(id) ?? 0) + 1);
      maxRunning = Math.max(maxRunning, ++running);
      await until(() => maxRunning >= 12, 'twelve jobs run at once');
      running--;
      if (failing.has(id) && startCounts.get(id) === 1) throw new Error('the attempt failed');
    });
    await until(isEmpty, 'all jobs are done');
    expect(ids.map((id) => startCounts.get(id))).toEqual(ids.map((id) => (failing.has(id) ? 2 : 1)));
    expect(maxRunning).toBe(12);
    await worker.close();
  });

  test('keeps nothing of a finished job, even if its producer asked for it', async () => {
    const queue = engine.openQueue(verificationQueue, addError);
    const name = 'verify';
    for (const opts of [{ removeOnComplete: false }, { removeOnComplete: { count: 9 } }, { removeOnComplete: 9 }])
      await queue.add(name, { verificationId: randomUUID() }, opts);
    let done = 0;
    const worker = openWorker({ concurrency: 10 }, async () => void done++);
    await until(() => done === 3, 'all jobs are done');
    await until(isEmpty, 'nothing is kept');
    await worker.close();
    await queue.close();
  });

  test('finishes started jobs before it is closed, and starts none after that', async () => {
    await push(100);
    let startedCount = 0;
    let endedCount = 0;
    const worker = openWorker({ concurrency: 10 }, async () => {
      startedCount++;
      await sleep(50);
      endedCount++;
    });
    await until(() => startedCount >= 10, 'ten jobs are started');
    await worker.close();
    const startedBeforeClose = startedCount;
    expect(endedCount).toBe(startedCount);
    await sleep(200);
    expect(startedCount).toBe(startedBeforeClose);
    const { waiting = 0, active = 0 } = await countJobs();
    expect([waiting, active]).toEqual([100 - startedBeforeClose, 0]);
  });
});
