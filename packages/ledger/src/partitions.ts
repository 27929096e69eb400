import { dayMs } from '@ringback/process';
import { type Database, inTransaction } from './connection/database.js';
import { waitingByTimeSql } from './deliveries/due.js';
import { idAt, lowestId } from './sql/ids.js';
import { boolean, text } from './sql/columns.js';
import { type Client, deleteInBatches, maxDeletedAtOnce, statement } from './sql/statement.js';

/** The tables of the ledger. A table comes before the tables that it refers to. */
const tables = ['attempts', 'delivery_ends', 'deliveries', 'events'] as const;
type Table = (typeof tables)[number];
/** A range of time, from `beginsAt`, before `endsAt`. The first has no `beginsAt`. */
type Range = { beginsAt: number | undefined; endsAt: number };
/** A partition of a table: the rows of a range. */
type Partition = Range & { name: string };

const defaultLengthsAhead = 3;
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
 * Creates the missing partitions of the tables, so that they reach at least `aheadDays` into the future, or three
 * partition lengths when `aheadDays` is absent. Returns the names of the new partitions.
 */
export async function createPartitions(
  client: Client,
  { retentionDays, aheadDays, now = Date.now() }: { retentionDays: number; aheadDays?: number; now?: number },
): Promise<string[]> {
  const lengthMs = partitionDays(retentionDays) * dayMs;
  const aheadMs = aheadDays === undefined ? defaultLengthsAhead * lengthMs : aheadDays * dayMs;
  const ends = (await listPartitions(client, 'deliveries')).map(({ endsAt }) => endsAt);
  const created: string[] = [];
  for (let end = Math.max(...ends); end < now + aheadMs; end += lengthMs) {
    created.push(...(await createTogether(client, { from: end, to: end + lengthMs })));
  }
  return created;
}

/**
 * Creates the partitions of one range of time in one transaction: `dropTogether` finds them by the range, which they
 * have in common.
 */
async function createTogether(client: Client, { from, to }: { from: number; to: number }): Promise<string[]> {
  const suffix = new Date(from).toISOString().slice(0, 10).replaceAll('-', '');
  const partitions = tables.map((table) => ({ table, name: `${table}_${suffix}` }));
  // Attaching an existing table takes a weaker lock than CREATE TABLE … PARTITION OF.
  const statements = partitions.map(
    ({ table, name }) => `CREATE TABLE "${name}" (LIKE "${table}" INCLUDING ALL);
    ALTER TABLE "${table}" ATTACH PARTITION "${name}" FOR VALUES FROM ('${idAt(new Date(from))}') TO ('${idAt(new Date(to))}')`,
  );
  await client.query([lockTimeoutSql, ...statements].join(';\n'));
  return partitions.map(({ name }) => name);
}

/** How far the partitions of each table reach into the future, in seconds. */
export async function measurePartitionsAhead({ pool }: Database, now = Date.now()): Promise<Record<Table, number>> {
  const ahead = { attempts: 0, delivery_ends: 0, deliveries: 0, events: 0 };
  for (const table of tables) {
    const ends = (await listPartitions(pool, table)).map(({ endsAt }) => endsAt);
    ahead[table] = (Math.max(...ends) - now) / 1_000;
  }
  return ahead;
}

/**
 * Drops the partitions whose time range is older than the retention; 0 keeps all. The events, deliveries and attempts
 * of a range are kept together while a delivery in it, or of an event in it, is pending. Then deletes the idempotency
 * keys of the dropped ranges. Returns the names of the dropped partitions.
 */
export async function dropPartitions(
  db: Database,
  { retentionDays, now = Date.now() }: { retentionDays: number; now?: number },
): Promise<string[]> {
  if (retentionDays === 0) return [];
  const before = now - retentionDays * dayMs;
  const dropped: string[] = [];
  for (const partition of await listPartitions(db.pool, 'deliveries')) {
    if (partition.endsAt > before || (await hasPending(db.pool, partition))) continue;
    const names = await dropTogether(db, partition);
    if (names.length > 0) await deleteKeysOfDropped(db);
    dropped.push(...names);
  }
  return dropped;
}

/** Drops the partitions of one range of time in one transaction, unless a delivery in it has become pending. */
async function dropTogether(db: Database, deliveries: Partition): Promise<string[]> {
  return inTransaction(db, async (client) => {
    await client.query(`${lockTimeoutSql}; LOCK TABLE ${deliveries.name} IN ACCESS EXCLUSIVE MODE`);
    if (await hasPending(client, deliveries)) return [];
    await insertDropStatement.run(client, idsOf(deliveries));
    const dropped: string[] = [];
    for (const table of tables) {
      const partitions = await listPartitions(client, table);
      const partition = partitions.find(({ endsAt }) => endsAt === deliveries.endsAt);
      if (!partition) continue;
      await client.query(`DROP TABLE ${partition.name}`);
      dropped.push(partition.name);
    }
    return dropped;
  });
}

/** Notes a drop, with the last position of the outcomes in the range. Reads each index from its end. */
const insertDropStatement = statement<{ from: string; to: string }>(`INSERT INTO partition_drops (last_position)
  SELECT (SELECT position FROM (
      (SELECT position FROM attempts WHERE delivery_id >= $from AND delivery_id < $to ORDER BY position DESC LIMIT 1)
      UNION ALL
      (SELECT position FROM delivery_ends WHERE delivery_id >= $from AND delivery_id < $to ORDER BY position DESC LIMIT 1)
    ) last ORDER BY position DESC LIMIT 1)`);

/**
 * The times at which a dropped range meets a kept one. Near such a time, an event may exist without its deliveries, or
 * the reverse.
 */
export async function findDroppedEdges({ pool }: Database): Promise<Date[]> {
  const edges = (await listDroppedRanges(pool)).flatMap(({ beginsAt, endsAt }) => [beginsAt, endsAt]);
  return edges.filter((at) => at !== undefined).map((at) => new Date(at));
}

/** The ranges before and between the partitions of events. */
async function listDroppedRanges(client: Client): Promise<Range[]> {
  const kept = await listPartitions(client, 'events');
  return kept.flatMap(({ beginsAt: endsAt }, index) => {
    const beginsAt = kept[index - 1]?.endsAt;
    return endsAt === undefined || endsAt === beginsAt ? [] : [{ beginsAt, endsAt }];
  });
}

const inPartitionSql = 'id >= $from AND id < $to';

/**
 * Whether a range has a pending delivery, or an event with one: a delivery gets its id after its event, so the range of
 * an event may end between the two. Each of the first two EXISTS has the condition of a partial index, so it takes one
 * probe of it. A single condition, such as `state = 'pending'`, would read the whole partition. The third reads the few
 * younger deliveries by `deliveries_event_id_idx`.
 */
const hasPendingStatement = statement<{ from: string; to: string }>(`SELECT
    EXISTS (SELECT 1 FROM deliveries WHERE ${inPartitionSql} AND ${waitingByTimeSql})
    OR EXISTS (SELECT 1 FROM deliveries WHERE ${inPartitionSql} AND lease_expires_at IS NOT NULL)
    OR EXISTS (SELECT 1 FROM deliveries WHERE id >= $to AND event_id >= $from AND event_id < $to AND state = 'pending')
      AS pending`).returns({
  pending: boolean,
});

async function hasPending(client: Client, range: Range): Promise<boolean> {
  return (await hasPendingStatement.row(client, idsOf(range)))?.pending ?? true;
}

const deleteKeysStatement = statement<{ from: string; to: string }>(`DELETE FROM event_keys
  WHERE ctid = ANY (ARRAY (SELECT ctid FROM event_keys WHERE event_id >= $from AND event_id < $to LIMIT ${maxDeletedAtOnce}))`);

/**
 * Deletes the idempotency keys of all dropped ranges, so also what a crash has left of an earlier drop. Not in the
 * transaction that drops, whose lock would hold up claims meanwhile: storing an event replaces a key without an event.
 */
async function deleteKeysOfDropped(db: Database): Promise<void> {
  for (const range of await listDroppedRanges(db.pool)) await deleteInBatches(db, deleteKeysStatement, idsOf(range));
}

/** The ids of a range, from `from`, before `to`. */
const idsOf = ({ beginsAt, endsAt }: Range) => ({
  from: beginsAt === undefined ? lowestId : idAt(new Date(beginsAt)),
  to: idAt(new Date(endsAt)),
});

const boundSql = (keyword: 'FROM' | 'TO') =>
  `substring(pg_get_expr(c.relpartbound, c.oid) FROM '${keyword} \\(''([0-9a-f-]{36})''')`;
const listStatement = statement<{ table: Table }>(
  `SELECT c.oid::regclass::text AS name, ${boundSql('FROM')} AS "beginId", ${boundSql('TO')} AS "endId"
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = $table::regclass ORDER BY 3`,
).returns({ name: text, beginId: text.orNull, endId: text });

/** The partitions of a table, oldest first. */
async function listPartitions(client: Client, table: Table): Promise<Partition[]> {
  const rows = await listStatement.rows(client, { table });
  return rows.map(({ name, beginId, endId }) => ({
    name,
    beginsAt: beginId === null ? undefined : timeOf(beginId),
    endsAt: timeOf(endId),
  }));
}

/** The time in a version 7 UUID, in Unix ms. */
const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
