import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { addDelayedJob } from 'bullmq/dist/esm/scripts/addDelayedJob-6.js';
import { addPrioritizedJob } from 'bullmq/dist/esm/scripts/addPrioritizedJob-9.js';
import { addStandardJob } from 'bullmq/dist/esm/scripts/addStandardJob-9.js';
import { Redis } from 'ioredis';
import { redisUrl, until } from '@ringback/testing';
import { consume } from './consumer.fixture.js';
import { openQueueEngine } from './producer.js';

/**
 * A job as BullMQ's other clients push it: with the same scripts as the Node client. The client for Elixir
 * (elixir/lib/bullmq/scripts.ex) writes only options that were set, some under short names of its own, and the due time
 * of a delayed job as its timestamp. The client for Python (python/bullmq/job.py) always writes attempts, delay and
 * backoff.
 */
type ForeignJob = { id?: string; dueInMs?: number; options?: Record<string, unknown>; deduplication?: string };

const pythonDefaults = { attempts: 0, delay: 0, backoff: null };

const jobs: [string, ForeignJob][] = [
  ['Python: no options', { options: pythonDefaults }],
  [
    'Python: retries of its own',
    { options: { ...pythonDefaults, attempts: 5, backoff: { type: 'fixed', delay: 1_000 } } },
  ],
  ['Python: a priority', { options: { ...pythonDefaults, priority: 5 } }],
  ['Python: a delay', { options: { ...pythonDefaults, delay: 300 } }],
  ['Elixir: a job id', { id: 'of-the-platform' }],
  ['Elixir: retries of its own', { options: { at: 5, bo: { type: 'exponential', delay: 1_000 }, kl: 3 } }],
  ['Elixir: what to keep', { options: { ro: true, rof: { count: 3 } } }],
  ['Elixir: lifo', { options: { lifo: true } }],
  ['Elixir: a priority', { options: { priority: 5 } }],
  ['Elixir: a delay', { dueInMs: 300, options: { del: 300 } }],
  ['Elixir: a deduplication', { deduplication: 'one', options: { de: { id: 'one', ttl: 5_000 } } }],
  ['Elixir: a parent that fails', { options: { fpof: true, idof: false, rdof: false } }],
];

const prefix = `test_${randomBytes(6).toString('hex')}`;
const keyPrefix = `${prefix}:sms-events:`;
let redis: Redis;
beforeAll(() => void (redis = new Redis(redisUrl() ?? '')));
afterAll(() => void redis.disconnect());

const standardKeys = ['wait', 'paused', 'meta', 'id', 'completed', 'delayed', 'active', 'events', 'marker'];
const delayedKeys = ['marker', 'meta', 'id', 'delayed', 'completed', 'events'];
const prioritizedKeys = ['marker', 'meta', 'id', 'prioritized', 'delayed', 'completed', 'active', 'events', 'pc'];

/** Packs a value with MessagePack, as BullMQ's scripts expect it. */
const pack = (value: unknown) =>
  redis.callBuffer('EVAL', 'return cmsgpack.pack(cjson.decode(ARGV[1]))', 0, JSON.stringify(value)) as Promise<Buffer>;

/** Pushes a job and returns its id. */
async function push(data: object, { id = '', dueInMs = 0, options = {}, deduplication }: ForeignJob): Promise<string> {
  const [script, names] =
    dueInMs > 0 || Number(options.delay) > 0
      ? [addDelayedJob, delayedKeys]
      : options.priority === undefined
        ? [addStandardJob, standardKeys]
        : [addPrioritizedJob, prioritizedKeys];
  const key = deduplication === undefined ? null : `${keyPrefix}de:${deduplication}`;
  const scriptArgs = [keyPrefix, id, 'sms:message:status', Date.now() + dueInMs, null, null, null, null, key];
  const values = [await pack(scriptArgs), JSON.stringify(data), await pack(options)];
  return String(
    await redis.eval(script.content, names.length, ...names.map((name) => `${keyPrefix}${name}`), ...values),
  );
}

test('an event from the clients for Python and Elixir is taken once, with any options', async () => {
  const id = await push({ id: 'first' }, {});
  expect(await redis.hgetall(`${keyPrefix}${id}`)).toEqual({
    name: 'sms:message:status',
    data: '{"id":"first"}',
    opts: '{}',
    timestamp: expect.stringMatching(/^\d{13}$/),
    delay: '0',
    priority: '0',
  });

  const engine = openQueueEngine({ redisUrl: redisUrl(), databaseUrl: '', prefix, redisTimeoutMs: 60_000 });
  const taken: string[] = [];
  const errors: Error[] = [];
  const worker = consume(engine, 'sms-events', async ({ data }) => void taken.push(data.id), {
    stalledInterval: 500,
    onError: (error) => void errors.push(error),
  });
  const expected = ['first'];
  for (const [name, job] of jobs) {
    await push({ id: name }, job);
    expected.push(name);
    await until(
      () => taken.length >= expected.length,
      () => `${name} is taken`,
    );
  }
  await push({ id: 'last' }, {});
  await until(() => taken.includes('last'));
  expect(taken).toEqual([...expected, 'last']);
  expect(errors).toEqual([]);
  const lists = ['wait', 'active', 'delayed', 'prioritized', 'failed', 'completed'];
  await until(async () => (await redis.exists(...lists.map((list) => `${keyPrefix}${list}`))) === 0);
  await worker.close();
  await engine.close();
});
