import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Call } from '../check.js';
import { type Load, p99OfDelays } from '../load.js';
import { receiveCalls } from '../outage.js';
import { userName } from '../postgres.js';
import { awaitState, type Scenario, type ScenarioContext } from '../scenario.js';
import { readCounts } from '../settle.js';

// Beside an old snapshot, statements may read this many times the blocks, and attempts be this many times as late. Both
// vary with the size of batches, and times also with what else the machine does.
const maxFactor = 3;
const minAllowedMs = 500;
// A scan reads again what became due in the 3 s before the last one: some retries.
const minAllowedBlocks = (perSecond: number) => 5 * perSecond;

/**
 * A transaction keeps its snapshot, as a backup or a forgotten psql does, so VACUUM can't remove the index entries of
 * deliveries that were sent since. A search that walks these entries takes longer with each delivery.
 */
export const oldSnapshot: Scenario = {
  name: 'old-snapshot',
  requiresNoErrors: true,
  runsAlone: true,
  title: 'a transaction keeps an old snapshot: events take neither longer nor more of PostgreSQL',
  backends: ['redis', 'postgres'],
  async run(context) {
    receiveCalls(context, { failing: true });
    const api = await context.startApi();
    await context.startWorker();
    await context.startWorker();
    // The same number of events before each measurement, so that connections, plans and tables are alike. They don't go
    // through the queue: in PostgreSQL, BullMQ finds the next job by walking the entries of those that were finished.
    const mass = context.createLoad(api);
    const loads = [context.createLoad(), context.createLoad(api)];
    const count = context.bySize({ test: 1_000, small: 3_000, normal: 10_000, full: 40_000 });
    await Promise.all([deliver(context, mass, count), ...loads.map((load) => load.push(100))]);
    await vacuum(context);
    const before = await measure(context, loads);
    const snapshot = await openSnapshot(context);
    try {
      await deliver(context, mass, count);
      const dead = await vacuum(context);
      context.require(dead >= count, `VACUUM kept ${dead} old rows of ${count} deliveries`);
      context.recordFault(`VACUUM kept ${dead} old rows`);
      const beside = await measure(context, loads);
      compare(context, before, beside);
      await context.settle([mass, ...loads]);
    } finally {
      await snapshot.end();
    }
  },
};

/** Opens a connection whose transaction keeps its first snapshot. */
async function openSnapshot({ postgres, database }: ScenarioContext): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: postgres.adminUrl(database) });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query('SELECT count(*) FROM accounts');
  return client;
}

/** Pushes events and waits until they are delivered. */
async function deliver(context: ScenarioContext, load: Load, count: number): Promise<void> {
  await load.push(count, { batch: 100 });
  await awaitState('no delivery is pending', async () => (await readCounts(context)).pending === 0);
}

const deadSql = `SELECT sum(n_dead_tup)::int AS dead FROM pg_stat_user_tables WHERE relname LIKE 'deliveries%'`;

/** Removes the old rows of deliveries that no transaction can see. Resolves with the number of the others. */
async function vacuum({ postgres, database }: ScenarioContext): Promise<number> {
  await postgres.query(database, 'VACUUM (ANALYZE) deliveries');
  const [row] = await postgres.query<{ dead: number }>(database, deadSql);
  return row?.dead ?? 0;
}

/** The p99 of first attempts after the acknowledgement, and of second attempts after the first. */
type Measurement = { firstMs: number; secondMs: number; statements: MeasuredStatement[] };

const rateOf = ({ bySize }: ScenarioContext) => bySize({ small: 20, normal: 50, full: 100 });

/** Lets events flow at a rate by both loads, and measures what they take. */
async function measure(context: ScenarioContext, loads: Load[]): Promise<Measurement> {
  const { recorder, postgres, database } = context;
  await postgres.query(database, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await postgres.query(database, 'SELECT pg_stat_statements_reset()');
  const since = Date.now();
  const stops = loads.map((load) => load.keepPushing(rateOf(context)));
  await sleep(context.bySize({ small: 10_000, normal: 20_000, full: 60_000 }));
  await Promise.all(stops.map((stop) => stop()));
  await awaitState('no delivery is pending', async () => (await readCounts(context)).pending === 0);
  const calls = recorder.calls.filter(({ at }) => at >= since);
  const first = calls.filter(({ attempt }) => attempt === 1);
  return {
    firstMs: Math.max(...loads.map((load) => p99OfDelays(first, load, since))),
    secondMs: p99(waitsForSecond(calls)),
    statements: await readStatements(context),
  };
}

function waitsForSecond(calls: readonly Call[]): number[] {
  const firstAt = new Map(calls.filter(({ attempt }) => attempt === 1).map(({ delivery, at }) => [delivery, at]));
  return calls
    .filter(({ attempt }) => attempt === 2)
    .flatMap(({ delivery, at }) => (firstAt.has(delivery) ? [at - (firstAt.get(delivery) ?? at)] : []));
}

const p99 = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.99)] ?? 0;

type MeasuredStatement = { text: string; calls: number; blocks: number };

// Statements that run a few times a minute, such as the sweep, may read everything. The tables of BullMQ's queues have
// other names.
const statementsSql = `SELECT regexp_replace(query, '\\s+', ' ', 'g') AS text, calls::int,
    (shared_blks_hit + shared_blks_read)::float8 / calls AS blocks
  FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
  WHERE d.datname = current_database() AND userid = '${userName}'::regrole AND calls >= 10
    AND query ~ '\\m(events|deliveries|attempts|webhooks|platform_tokens)\\M'`;

/** The programs' statements on Ringback's own tables, with the blocks that a call has read since the last reset. */
const readStatements = ({ postgres, database }: ScenarioContext) =>
  postgres.query<MeasuredStatement>(database, statementsSql);

function compare(context: ScenarioContext, before: Measurement, beside: Measurement): void {
  for (const [name, what] of [['firstMs', 'first'] as const, ['secondMs', 'second'] as const]) {
    context.note(`p99 of ${what} attempts ${Math.round(before[name])} ms, then ${Math.round(beside[name])} ms`);
    const allowedMs = Math.max(minAllowedMs, maxFactor * before[name]);
    context.requireWithin(allowedMs, beside[name], `the p99 of ${what} attempts beside the snapshot`);
  }
  const blocksBefore = new Map(before.statements.map(({ text, blocks }) => [text, blocks]));
  const both = beside.statements.filter(({ text }) => blocksBefore.has(text));
  context.require(both.length >= 4, `only ${both.length} statements were measured`);
  for (const { text, blocks } of both) {
    const known = blocksBefore.get(text) ?? 0;
    const took = `a call took ${Math.round(known)} blocks, then ${Math.round(blocks)}: ${text.slice(0, 100)}`;
    context.require(blocks <= Math.max(minAllowedBlocks(rateOf(context)), maxFactor * known), took);
  }
  const sum = ({ statements }: Measurement) =>
    statements.reduce((total, { calls, blocks }) => total + calls * blocks, 0);
  context.note(`${Math.round(sum(before))} blocks in all, then ${Math.round(sum(beside))}`);
}
