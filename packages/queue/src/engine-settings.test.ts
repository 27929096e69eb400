import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { backends, createTestDatabase, redisUrl, type TestDatabase, until } from '@ringback/testing';
import { consume } from './consumer.fixture.js';
import { collectErrors } from './errors.fixture.js';
import { openQueueEngine, type QueueSettings } from './producer.js';
import { openQueues, type Queues } from './producer.js';

const pushedCount = 1_200;
let database: TestDatabase;
let prefix: string;
let { errors, addError } = collectErrors();

beforeEach(async () => {
  database = await createTestDatabase();
  prefix = `test_${randomBytes(6).toString('hex')}`;
  ({ errors, addError } = collectErrors());
});
afterEach(async () => {
  expect(errors).toEqual([]);
  await database.drop();
});

const push = (queues: Queues, count: number) =>
  queues.pushEvents(
    'sms',
    Array.from({ length: count }, (_, index) => ({
      name: 'sms:message:status',
      data: { payload: { id: String(index) } },
    })),
  );

/** Runs a worker until the queue is empty. Returns the number of jobs that it took. */
async function takeAll(settings: QueueSettings, queues: Queues): Promise<number> {
  const engine = openQueueEngine(settings);
  let taken = 0;
  const take = async () => void taken++;
  const worker = consume(engine, 'sms-events', take, { concurrency: 50, onError: addError });
  await until(
    async () => Object.values((await queues.countJobsByQueue())['sms-events']).every((count) => count === 0),
    'all events are taken',
  );
  await worker.close();
  await engine.close();
  return taken;
}

describe.each(backends)('the event log of BullMQ on $name', ({ redisUrl: url }) => {
  test('is limited to about 1,000 entries', async () => {
    const settings = { redisUrl: url, databaseUrl: database.url, prefix, redisTimeoutMs: 60_000 };
    const queues = openQueues({ ...settings, onError: addError });
    await push(queues, pushedCount);
    expect(await takeAll(settings, queues)).toBe(pushedCount);
    await queues.close();
    const count = url === undefined ? await countPostgresEntries() : await countRedisEntries();
    // BullMQ writes at least three entries for each job.
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(2_000);
  });
});

async function countPostgresEntries(): Promise<number> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM "${prefix}".event`);
  await client.end();
  return rows[0]?.count ?? 0;
}

async function countRedisEntries(): Promise<number> {
  const client = new Redis(redisUrl() ?? '');
  const count = await client.xlen(`${prefix}:sms-events:events`);
  client.disconnect();
  return count;
}

describe('queues in PostgreSQL', () => {
  test('are in their schema, with any options in the URL', async () => {
    const url = new URL(database.url);
    url.searchParams.set('options', '-c search_path=nowhere -c enable_sort=on');
    const settings = { databaseUrl: url.href, prefix };
    const queues = openQueues({ ...settings, onError: addError });
    await push(queues, 200);
    expect(await takeAll(settings, queues)).toBe(200);
    await queues.close();
  });

  test('are used with sorting off, so that PostgreSQL fetches by the index of waiting jobs', async () => {
    const settings = { databaseUrl: database.url, prefix };
    const queues = openQueues({ ...settings, onError: addError });
    await push(queues, 1);
    const client = new pg.Client({ connectionString: database.url, options: `-c search_path="${prefix}"` });
    await client.connect();
    await client.query(`CREATE TABLE setting (enable_sort text);
      CREATE FUNCTION keep_setting() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO setting SELECT current_setting('enable_sort');
        RETURN NEW;
      END $$;
      CREATE TRIGGER keep_setting AFTER INSERT ON job EXECUTE FUNCTION keep_setting()`);
    await push(queues, 1);
    const { rows } = await client.query('SELECT enable_sort FROM setting');
    expect(rows).toEqual([{ enable_sort: 'off' }]);
    await client.end();
    await queues.close();
  });
});
