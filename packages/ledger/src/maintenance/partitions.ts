import type pg from 'pg';
import { waitingSql } from '../deliveries/waiting.js';
import type { Database } from '../connection/open.js';
import { inTransaction } from '../connection/transaction.js';
import { idAt } from '../sql/uuid.js';

/** The tables of the ledger. A table comes before the tables that it refers to. */
const tables = ['attempts', 'deliveries', 'events'] as const;
type Table = (typeof tables)[number];
/**
 * A partition of a table: the rows of a range of time, from `beginsAt`, before `endsAt`. The first has no `beginsAt`. The
 * name is for statements: it has a schema if the partition is not in the session's, where earlier versions could put it.
 */
type Partition = { name: string; beginsAt: number | undefined; endsAt: number };

const dayMs = 86_400_000;
const defaultLengthsAhead = 3;
const maxDeletedKeys = 50_000;
// While a statement here waits for its lock, all other statements on the table wait behind it. The timeout bounds that
// wait. It is below PostgreSQL's `deadlock_timeout`, so in a deadlock the statement here fails and not another one. SET
// LOCAL applies because the statements of one query string are one transaction.
const lockTimeoutSql = `SET LOCAL lock_timeout = '500ms'`;

/**
 * The length of a partition in days: a fifth of the retention, rounded up, so that a table has about ten partitions.
 * With a retention of 0, which keeps everything, it is 30.
 */
function partitionDays(retentionDays: number): number {
  return retentionDays === 0 ? 30 : Math.ceil(retentionDays / 5);
}

/**
 * Creates the missing partitions of each table, so that they reach at least `aheadDays` into the future, or three
 * partition lengths when `aheadDays` is absent. Returns the names of the new partitions.
 */
export async function createPartitions(
  client: Pick<pg.ClientBase, 'query'>,
  { retentionDays, aheadDays, now = Date.now() }: { retentionDays: number; aheadDays?: number; now?: number },
): Promise<string[]> {
  const lengthMs = partitionDays(retentionDays) * dayMs;
  const aheadMs = aheadDays === undefined ? defaultLengthsAhead * lengthMs : aheadDays * dayMs;
  const created: string[] = [];
  for (const table of tables) {
    const ends = (await listPartitions(client, table)).map(({ endsAt }) => endsAt);
    for (let end = Math.max(...ends); end < now + aheadMs; end += lengthMs) {
      created.push(await createPartition(client, table, { from: end, to: end + lengthMs }));
    }
  }
  return created;
}

async function createPartition(
  client: Pick<pg.ClientBase, 'query'>,
  table: Table,
  { from, to }: { from: number; to: number },
): Promise<string> {
  const name = `${table}_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`;
  // Attaching an existing table takes a weaker lock than CREATE TABLE … PARTITION OF.
  await client.query(`${lockTimeoutSql};
    CREATE TABLE "${name}" (LIKE "${table}" INCLUDING ALL);
    ALTER TABLE "${table}" ATTACH PARTITION "${name}" FOR VALUES FROM ('${idAt(new Date(from))}') TO ('${idAt(new Date(to))}')`);
  return name;
}

/**
 * Drops the partitions whose time range is older than the retention; 0 keeps all. If a partition of deliveries has a
 * pending delivery, it is kept together with the events and attempts of that range. Also deletes the idempotency keys
 * of the dropped ranges. Returns the names of the dropped partitions.
 */
export async function dropPartitions(
  db: Database,
  { retentionDays, now = Date.now() }: { retentionDays: number; now?: number },
): Promise<string[]> {
  if (retentionDays === 0) return [];
  const before = now - retentionDays * dayMs;
  const dropped: string[] = [];
  for (const { name, endsAt } of await listPartitions(db.pool, 'deliveries')) {
    if (endsAt > before || (await hasPending(db.pool, name))) continue;
    await deleteKeys(db, endsAt);
    dropped.push(...(await dropTogether(db, name, endsAt)));
  }
  return dropped;
}

/** Drops the partitions of one range of time in one transaction, unless a delivery in it has become pending. */
async function dropTogether(db: Database, deliveries: string, endsAt: number): Promise<string[]> {
  return inTransaction(db, async (client) => {
    await client.query(`${lockTimeoutSql}; LOCK TABLE ${deliveries} IN ACCESS EXCLUSIVE MODE`);
    if (await hasPending(client, deliveries)) return [];
    const dropped: string[] = [];
    for (const table of tables) {
      const partition = (await listPartitions(client, table)).find((candidate) => candidate.endsAt === endsAt);
      if (!partition) continue;
      await client.query(`DROP TABLE ${partition.name}`);
      dropped.push(partition.name);
    }
    await client.query(markDroppedSql);
    return dropped;
  });
}

const markDroppedSql = `INSERT INTO audit_marks (name, at) VALUES ('ledger_dropped', clock_timestamp())
  ON CONFLICT (name) DO UPDATE SET at = excluded.at`;

/** Selects when partitions were last dropped: `at`, or no row if none was. */
export const ledgerDroppedSql = `SELECT at FROM audit_marks WHERE name = 'ledger_dropped'`;

/**
 * The times at which a dropped range meets a kept one. Near such a time, an event may exist without its deliveries, or
 * the reverse.
 */
export async function findDroppedEdges({ pool }: Database): Promise<Date[]> {
  const kept = await listPartitions(pool, 'events');
  const edges = kept.flatMap(({ beginsAt }, index) => {
    const before = kept[index - 1]?.endsAt;
    return beginsAt === before ? [] : [before, beginsAt];
  });
  return edges.filter((at) => at !== undefined).map((at) => new Date(at));
}

/**
 * Whether a partition of deliveries has a pending delivery. Each EXISTS has the condition of a partial index, so it
 * takes one probe. A single condition, such as `state = 'pending'`, would read the whole partition.
 */
async function hasPending(client: Pick<pg.ClientBase, 'query'>, name: string): Promise<boolean> {
  const { rows } = await client.query<{ pending: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM ${name} WHERE ${waitingSql})
      OR EXISTS (SELECT 1 FROM ${name} WHERE lease_expires_at IS NOT NULL) AS pending`,
  );
  return rows[0]?.pending ?? true;
}

/** Deletes the idempotency keys of events that were stored before a time. */
async function deleteKeys({ pool }: Database, before: number): Promise<void> {
  const deleteSql = `DELETE FROM event_keys
    WHERE ctid = ANY (ARRAY (SELECT ctid FROM event_keys WHERE event_id < $1 LIMIT ${maxDeletedKeys}))`;
  for (;;) {
    const { rowCount } = await pool.query(deleteSql, [idAt(new Date(before))]);
    if ((rowCount ?? 0) < maxDeletedKeys) return;
  }
}

/** The partitions of a table, oldest first. */
async function listPartitions(client: Pick<pg.ClientBase, 'query'>, table: Table): Promise<Partition[]> {
  const { rows } = await client.query<{ name: string; begin: string | null; end: string }>(
    `SELECT c.oid::regclass::text AS name, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \\(''([0-9a-f-]{36})''') AS begin,
      substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \\(''([0-9a-f-]{36})''') AS end
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = $1::regclass ORDER BY 3`,
    [table],
  );
  return rows.map(({ name, begin, end }) => ({
    name,
    beginsAt: begin === null ? undefined : timeOf(begin),
    endsAt: timeOf(end),
  }));
}

/** The time in a version 7 UUID, in Unix ms. */
const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
