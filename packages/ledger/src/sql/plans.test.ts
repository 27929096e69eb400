import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  storeEvents,
  claimDue,
  createAccount,
  type Database,
  leaseDue,
  listDueWebhooks,
  loadTasks,
  createPartitions,
  openDatabase,
  readOutcomes,
  recordAttempts,
  releaseLeases,
  renewLeases,
  rescueExpiredLeases,
  scanDue,
} from '../index.js';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';

const channel = 'sms' as const;
const dayMs = 86_400_000;
// These grow with every event.
const growingTables = /^(events|deliveries|attempts|event_keys)(_|$)/;
// Above this estimate, PostgreSQL with JIT would compile the plan at each execution (jit_above_cost).
const maxCost = 100_000;
// It has a row for each dropped partition, and is read whole.
const smallTable = 'partition_drops';
// What PostgreSQL adds to the cost of a sequential scan while `enable_seqscan` is off.
const disabledCost = 10_000_000_000;

type Plan = {
  'Node Type': string;
  'Relation Name'?: string;
  'Total Cost': number;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Plan[];
};

let database: TestDatabase;
let db: Database;
let accountId: string;
const statements = new Map<string, { text: string; count: number }>();

/** The same database, wrapped so that it records the text of each named statement. */
function openRecordingDb(): Database {
  const query = (...parameters: [unknown, ...unknown[]]) => {
    const [config] = parameters as [{ name?: string; text?: string; values?: unknown[] }];
    if (config.name && config.text)
      statements.set(config.name, { text: config.text, count: config.values?.length ?? 0 });
    return Reflect.apply(db.pool.query, db.pool, parameters) as unknown;
  };
  return { ...db, pool: Object.assign(Object.create(db.pool) as Database['pool'], { query }) };
}

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase({ url: database.url, planner: 'indexes', connectTimeoutMs: 60_000 });
  accountId = (await createAccount(db, { name: 'test' })).id;
  const recordingDb = openRecordingDb();
  const none = '00000000-0000-4000-8000-000000000000';
  await claimDue(recordingDb, [{ webhookId: none, channel, limit: 1 }], { leaseMs: 1 });
  await leaseDue(recordingDb, [{ webhookId: none, id: none }], { leaseMs: 1 });
  await scanDue(recordingDb, null);
  await listDueWebhooks(recordingDb, { limit: 10, after: null });
  await rescueExpiredLeases(recordingDb, { before: 'infinity' });
  await renewLeases(recordingDb, [], { leaseMs: 1 });
  await releaseLeases(recordingDb, []);
  await loadTasks(recordingDb, []);
  await recordAttempts(recordingDb, []);
  await recordAttempts(recordingDb, [], { failingAfterDays: 1, pauseOnGone: true });
  await storeEvents(recordingDb, []);
  await readOutcomes(recordingDb, { cursor: null, limit: 10 });
  // Autovacuum would update the statistics in between.
  const { rows } = await db.pool.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
  );
  for (const { name } of rows) await db.pool.query(`ALTER TABLE ${name} SET (autovacuum_enabled = false)`);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** A backlog of `most` deliveries for one webhook, and 10 for each of `others`, all stored at `at`. */
async function fill(at: Date, others = 300, most = 10_000): Promise<void> {
  await db.pool.query(
    `WITH hooks AS (
      INSERT INTO webhooks (account_id, name, uri) SELECT $1, 'hook', 'http://127.0.0.1:1/' FROM generate_series(0, $3::int) RETURNING id
    ), numbered AS (
      SELECT id, row_number() OVER () AS number FROM hooks
    ), made AS (
      SELECT h.id, ringback_uuid_v7_at($2) AS low, gen_random_uuid() AS random, s.n
        FROM numbered h CROSS JOIN LATERAL generate_series(1, CASE WHEN h.number = 1 THEN $4::int ELSE 10 END) AS s(n)
    ), stored AS (
      INSERT INTO events (id, name, account_id, payload, state, delivery_count)
        SELECT (left(low::text, 14) || right(random::text, 22))::uuid, 'sms:message:status', $1, '{}', 'routed', 1 FROM made
      RETURNING id
    ), keyed AS (
      INSERT INTO event_keys (key, event_id) SELECT id::text, id FROM stored
    )
    INSERT INTO deliveries (id, event_id, account_id, webhook_id, channel, due_at)
      SELECT e, e, $1, id, 'sms', now() + interval '1 s' * (n - 5000)
        FROM (SELECT *, (left(low::text, 14) || right(random::text, 22))::uuid AS e FROM made) m`,
    [accountId, at, others, most],
  );
}

/** All nodes of a statement's generic plan. */
async function planOf({ text, count }: { text: string; count: number }): Promise<Plan[]> {
  const client = await db.pool.connect();
  try {
    await client.query(`BEGIN; PREPARE planned AS ${text}`);
    const values = count === 0 ? '' : `(${Array(count).fill('NULL').join(', ')})`;
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE planned${values}`,
    );
    const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
    return nodesOf(rows[0]!['QUERY PLAN'][0]!.Plan);
  } finally {
    await client.query('ROLLBACK; DEALLOCATE ALL');
    client.release();
  }
}

const states: [string, () => Promise<unknown>][] = [
  ['empty', () => Promise.resolve()],
  // A connection keeps its plans for a minute, and in this minute the tables may grow a hundredfold.
  ['hardly filled', () => fill(new Date(), 50, 200)],
  ['just filled', () => fill(new Date())],
  ['analysed', () => db.pool.query('ANALYZE')],
  [
    'just continued in new partitions',
    async () => {
      await createPartitions(db.pool, { retentionDays: 30, now: Date.now() + 10 * dayMs });
      await fill(new Date(Date.now() + 15 * dayMs));
    },
  ],
  [
    'analysed while a partition has deliveries of one webhook only',
    async () => {
      await fill(new Date(Date.now() + 21 * dayMs), 0);
      // An empty partition is never analysed by autovacuum.
      for (const table of ['deliveries', 'events']) {
        const { rows } = await db.pool.query<{ name: string }>(
          `SELECT tableoid::regclass::text AS name FROM ${table} ORDER BY id DESC LIMIT 1`,
        );
        await db.pool.query(`ANALYZE ${rows[0]?.name}`);
      }
    },
  ],
];

describe.each(states)('in tables that are %s', (_state, prepare) => {
  beforeAll(async () => void (await prepare()));

  test.each([
    'claim_due',
    'lease_due',
    'scan_due',
    'list_due_webhooks',
    'rescue',
    'release',
    'renew',
    'load',
    'record',
    'record_and_pause',
    'store_events',
    'read_outcomes',
  ])('the statement %s reads by indexes, at a bounded cost', async (name) => {
    const nodes = await planOf(statements.get(`ringback_${name}`)!);
    const readsAll = ({ 'Node Type': type, 'Relation Name': table = '', 'Index Cond': condition }: Plan) =>
      (type === 'Seq Scan' && table !== smallTable) ||
      (type.startsWith('Index') && growingTables.test(table) && condition === undefined);
    const kinds = nodes.filter(readsAll).map((node) => `${node['Node Type']} ${node['Relation Name']}`);
    const cost = Math.round(nodes[0]!['Total Cost'] % disabledCost);
    expect({ name, kinds, isCheap: cost < maxCost || cost }).toEqual({ name, kinds: [], isCheap: true });
  });

  // A search by one of these indexes that began elsewhere would read all of it.
  const [byWebhook, byTime, byLease, byId] = [
    '_webhook_id_channel_due_at_',
    '_due_at_id_',
    '_lease_expires_at_',
    '_pkey',
  ];
  test.each([
    ['claim_due', [byWebhook, byId]],
    ['list_due_webhooks', [byWebhook]],
    ['lease_due', [byId]],
    ['scan_due', [byTime]],
    ['rescue', [byLease, byId]],
  ])('the statement %s reads deliveries by %j only', async (name, expected) => {
    const nodes = await planOf(statements.get(`ringback_${name}`)!);
    // An index-only scan of the relation itself, or the index of a bitmap scan.
    const names = nodes.flatMap(({ 'Index Name': index = '' }) => (index.startsWith('deliveries') ? [index] : []));
    expect(names.filter((index) => !expected.some((part) => index.includes(part)))).toEqual([]);
    expect(expected.filter((part) => !names.some((index) => index.includes(part)))).toEqual([]);
  });
});
