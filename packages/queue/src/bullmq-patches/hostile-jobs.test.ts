import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { redisUrl, until } from '@ringback/testing';
import type { QueueEngine, WorkerHandle } from '../queue-engine.js';
import { hostileJobs, type RawJob } from './hostile-jobs.data.js';
import { openQueueEngine } from '../open-queue-engine.js';
import { reservedKeys } from './bullmq-keys.js';
import { UnreadableData } from '../event-queue/unreadable-data.js';

const prefix = `test_${randomBytes(6).toString('hex')}`;
const keyPrefix = `${prefix}:sms-events:`;
const key = (name: string | Buffer) => Buffer.concat([Buffer.from(keyPrefix), Buffer.from(name)]);
let redis: Redis;
let engine: QueueEngine;
let worker: WorkerHandle;
const takenData: unknown[] = [];
const errors: string[] = [];
const settings = { lockDuration: 60_000, stalledInterval: 500, maxStalledCount: 1_000_000, runRetryDelay: 100 };
const openWorker = () =>
  engine.openWorker(
    'sms-events',
    async ({ data }) => void takenData.push(data),
    { ...settings, removeOnComplete: { count: 0 } },
    ({ message }) => void errors.push(message),
  );

beforeAll(() => {
  redis = new Redis(redisUrl() ?? '');
  engine = openQueueEngine({ redisUrl: redisUrl(), databaseUrl: '', prefix, redisTimeoutMs: 60_000 });
  worker = openWorker();
});
afterAll(async () => {
  await worker.close();
  await engine.close();
  redis.disconnect();
});

/**
 * Pushes a job as a client without BullMQ does. `refused`: Redis did not write the job, because its key has another
 * type. `written`: the job was written, but its id may be in no list.
 */
async function push({ id, fields, list }: RawJob): Promise<'refused' | 'written' | 'pushed'> {
  const pushIdTo = {
    wait: () => redis.lpush(key('wait'), id),
    prioritized: () => redis.zadd(key('prioritized'), 5 * 2 ** 32, id),
    delayed: () => redis.zadd(key('delayed'), 1, id),
    nowhere: () => Promise.resolve(0),
  };
  let result: 'refused' | 'written' = 'refused';
  try {
    await redis.hset(key(id), fields);
    result = 'written';
    await pushIdTo[list ?? 'wait']();
    await redis.zadd(key('marker'), 0, '0');
    return 'pushed';
  } catch {
    return result;
  }
}

function describeData(data: unknown): RawJob['expected'] {
  if (data instanceof UnreadableData) return { reason: data.reason };
  let depth = 0;
  for (let inner = data; Array.isArray(inner); inner = inner[0]) depth++;
  return { data: depth > 0 ? `depth ${depth}` : data };
}

/** Pushes an ordinary job. Resolves when `count` jobs were taken in total, and none is left. */
async function pushNextJob(count: number): Promise<void> {
  const ordinary: RawJob = { id: '', fields: { name: 'x', data: '"ordinary"' }, expected: { data: 'ordinary' } };
  const pushOrdinary = () => push({ ...ordinary, id: `ordinary-${randomBytes(8).toString('hex')}` });
  await until(async () => (await pushOrdinary()) === 'pushed', 'a job can be pushed');
  const isEmpty = async () =>
    takenData.length >= count &&
    (await redis.exists(key('wait'), key('active'), key('delayed'), key('prioritized'))) === 0;
  await until(isEmpty, () => `${count} jobs were taken; it was ${takenData.length}`);
}

test('any job that a client writes is taken once, and so is the next job', async () => {
  const failures: unknown[] = [];
  for (const [name, job] of hostileJobs) {
    takenData.length = 0;
    try {
      // Redis refuses what would overwrite a key of another type, and then there is no job.
      const expected = (await push(job)) === 'refused' ? [] : [job.expected];
      await pushNextJob(expected.length + 1);
      expect(takenData.filter((data) => data !== 'ordinary').map(describeData)).toEqual(expected);
    } catch (error) {
      failures.push({ name, error: String(error).slice(0, 2_000) });
    }
  }
  expect(failures).toEqual([]);
  // Only BullMQ's own keys are left, and ordinary jobs that could not be pushed.
  const leftKeys = (await redis.keys(`${keyPrefix}*`)).map((leftKey) => leftKey.slice(keyPrefix.length));
  expect(leftKeys.filter((name) => !Object.hasOwn(reservedKeys, name) && !name.startsWith('ordinary-'))).toEqual([]);
  // BullMQ may read an overwritten key before it is restored, and reports that.
  const ownErrors = errors.filter((error) => !error.startsWith('WRONGTYPE '));
  const reports = new Set(ownErrors.map((error) => error.replace(/: [\w-]+$/, '')));
  expect([...reports]).toEqual([
    "BullMQ's own keys were overwritten, probably by jobs with these ids, and have been restored",
  ]);
});
