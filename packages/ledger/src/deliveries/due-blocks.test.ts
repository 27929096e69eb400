import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import {
  claimDue,
  createPartitions,
  type Database,
  leaseDue,
  recordAttempts,
  rescueExpiredLeases,
  scanDue,
  unknownDueAt,
} from '../index.js';
import { deliveredAttempt, openTestLedger, type TestLedger } from '../ledger.fixture.js';

// What it takes to find and lease one due delivery must depend neither on what waits, nor on what was delivered before.
// While a backup or a forgotten transaction holds an old snapshot, VACUUM can't remove the index entries of what was
// delivered since. Blocks are counted, because times depend on the machine.

const channel = 'sms' as const;
const leaseMs = 60_000;
const lowestId = '00000000-0000-0000-0000-000000000000';
const batch = 200;
const maxBlocks = 40;

type Plan = {
  'Node Type': string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Relation Name'?: string;
  'Parent Relationship'?: string;
  Plans?: Plan[];
};

let ledger: TestLedger;
let db: Database;
let webhookId: string;
let snapshot: pg.PoolClient | undefined;
beforeAll(async () => {
  ledger = await openTestLedger();
  db = ledger.openWorkerDb();
  webhookId = await ledger.makeWebhook();
  // Seven partitions. Each takes two blocks or more of every search.
  await createPartitions(db.pool, { retentionDays: 30, aheadDays: 42 });
  const { rows } = await db.pool.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`,
  );
  for (const { name } of rows) await db.pool.query(`ALTER TABLE ${name} SET (autovacuum_enabled = false)`);
});
afterAll(async () => {
  snapshot?.release(true);
  await db.close();
  await ledger.close();
});

type Query = { text: string; values: (string | number)[] };

/** The statement that `act` runs first, and its parameters. It is not run. */
const statementOf = (act: (db: Database) => Promise<unknown>) =>
  new Promise<Query>((resolve) => {
    const query = (config: Query) => (resolve(config), new Promise(() => {}));
    void act({ ...db, pool: { query } as unknown as Database['pool'] });
  });

/**
 * Runs the statement of `act` with its generic plan, and returns the plan with the blocks that it read. `warm` runs the
 * same statement before, because the first run also reads the catalog.
 */
async function planOf(act: (db: Database) => Promise<unknown>, warm = act): Promise<Plan> {
  const client = await db.pool.connect();
  const run = async ({ values }: Query) => {
    const literals = values.map((value) => client.escapeLiteral(String(value))).join(', ');
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE measured(${literals})`,
    );
    return rows[0]!['QUERY PLAN'][0]!.Plan;
  };
  try {
    const measured = await statementOf(act);
    await client.query(`PREPARE measured AS ${measured.text}`);
    await run(await statementOf(warm));
    return await run(measured);
  } finally {
    await client.query('DEALLOCATE measured');
    client.release();
  }
}

const blocksOf = (plan: Plan) => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/**
 * The blocks that the statement read to find the rows that it leases. Writing them reads as many blocks for any row.
 */
function findingBlocksOf(plan: Plan): number {
  const update = nodesOf(plan).find(
    (node) => node['Node Type'] === 'ModifyTable' && node['Relation Name'] === 'deliveries',
  );
  // An InitPlan's blocks are also those of the node that runs it.
  const rows = update?.Plans?.find((node) => node['Parent Relationship'] !== 'InitPlan');
  if (!rows) throw new Error('the plan updates no deliveries');
  return blocksOf(rows);
}

const clock = async () => (await db.pool.query<{ at: string }>('SELECT clock_timestamp()::text AS at')).rows[0]!.at;

/** Counts the blocks that each way to find a due delivery reads, for a delivery of its own. */
async function measure() {
  const withDelivery = async <T>(act: (delivery: { id: string; dueFrom: string }) => Promise<T>): Promise<T> => {
    const dueFrom = await clock();
    const [id] = await ledger.deliveriesOf(await ledger.store(`one at ${dueFrom}`, webhookId));
    const result = await act({ id: id!, dueFrom });
    await leaseDue(db, [{ webhookId, id: id! }], { leaseMs });
    await recordAttempts(db, [{ ...deliveredAttempt, deliveryId: id!, startedAt: new Date() }]);
    return result;
  };
  const search = (dueFrom: string) =>
    planOf(
      (recorded) => claimDue(recorded, [{ webhookId, channel, limit: 1, dueFrom }], { leaseMs }),
      (recorded) => claimDue(recorded, [{ webhookId: lowestId, channel, limit: 1 }], { leaseMs }),
    );
  const lease = (id: string) =>
    planOf(
      (recorded) => leaseDue(recorded, [{ webhookId, id }], { leaseMs }),
      (recorded) => leaseDue(recorded, [{ webhookId, id: lowestId }], { leaseMs }),
    );
  const scan = (at: string) => planOf((recorded) => scanDue(recorded, { at, id: lowestId }));
  const rescue = (at: string) => planOf((recorded) => rescueExpiredLeases(recorded, { before: at, from: at }));
  return {
    scan: blocksOf(await withDelivery(({ dueFrom }) => scan(dueFrom))),
    rescue: blocksOf(await withDelivery(({ dueFrom }) => rescue(dueFrom))),
    lease: findingBlocksOf(await withDelivery(({ id }) => lease(id))),
    search: findingBlocksOf(await withDelivery(({ dueFrom }) => search(dueFrom))),
    searchFromTheStart: findingBlocksOf(await withDelivery(() => search(unknownDueAt))),
  };
}

/** Stores deliveries, leases them and records their attempts. Every tenth is retried once. */
async function deliver(count: number): Promise<void> {
  const dueFrom = await clock();
  const attempt = async (number: number) => {
    const { tasks } = await claimDue(db, [{ webhookId, channel, limit: batch, dueFrom }], { leaseMs });
    const retried = { state: 'pending' as const, waitMs: 0, statusCode: 500 };
    await recordAttempts(
      db,
      tasks.map(({ id }, index) => ({
        ...deliveredAttempt,
        ...(number === 1 && index % 10 === 0 ? retried : {}),
        deliveryId: id,
        startedAt: new Date(),
        number,
      })),
    );
  };
  for (let done = 0; done < count; done += batch) {
    await ledger.storeAll(Array.from({ length: batch }, (_, index) => [`${dueFrom} ${done + index}`, webhookId]));
    await attempt(1);
    await attempt(2);
  }
}

/**
 * Stores deliveries of another webhook: half of them have been due for an hour, and half are due in an hour or later.
 */
async function fill(count: number): Promise<void> {
  const other = await ledger.makeWebhook();
  await db.pool.query(
    `WITH made AS (SELECT ringback_uuid_v7() AS id, n FROM generate_series(1, $3::int) n),
      stored AS (INSERT INTO events (id, name, account_id, payload, state, delivery_count)
        SELECT id, 'sms:message:status', $1, '{}', 'routed', 1 FROM made)
    INSERT INTO deliveries (id, event_id, account_id, webhook_id, channel, due_at)
      SELECT id, id, $1, $2, 'sms', now() + (interval '1 hour' + interval '10 ms' * n) * (CASE n % 2 WHEN 0 THEN 1 ELSE -1 END)
        FROM made`,
    [ledger.accountId, other, count],
  );
}

const states: [string, () => Promise<unknown>][] = [
  ['in an empty table', () => Promise.resolve()],
  ['beside 200,000 that wait', () => fill(200_000)],
  ['after 20,000 were delivered', () => deliver(20_000)],
  [
    'after 20,000 were delivered beside an old snapshot',
    async () => {
      snapshot = await db.pool.connect();
      await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      // On a slow machine, the snapshot would not last until it is measured.
      await snapshot.query('SET LOCAL idle_in_transaction_session_timeout = 0');
      await snapshot.query('SELECT 1');
      await deliver(20_000);
      await db.pool.query('VACUUM deliveries');
    },
  ],
  ['after the tables were analysed too', () => db.pool.query('ANALYZE')],
];

let inEmptyTable: Record<string, number> | undefined;

describe.each(states)('a due delivery %s', (_state, prepare) => {
  beforeAll(async () => void (await prepare()));

  test('is found by its webhook, its time or its id with few blocks', async () => {
    const { searchFromTheStart, ...found } = await measure();
    inEmptyTable ??= found;
    const most = (way: string) => Math.min(maxBlocks, 2 * (inEmptyTable?.[way] ?? 0));
    expect(Object.entries(found).filter(([way, blocks]) => blocks > most(way))).toEqual([]);
    // The old entries are really there: who begins at the start of the index walks them.
    if (snapshot) expect(searchFromTheStart).toBeGreaterThan(10 * maxBlocks);
  });
});
