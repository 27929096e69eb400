import type pg from 'pg';
import { isClaimable } from './claims.js';
import type { Database } from './open.js';
import { inTransaction } from './transaction.js';
import { idAt } from './uuid.js';

/** The tables of the ledger, those that refer to others first. */
const tables = ['attempts', 'deliveries', 'events'] as const;
type Table = (typeof tables)[number];
/** In the order of their times; the first begins with everything that is older. */
type Partition = { name: string; beginsAt: number | undefined; endsAt: number };

const dayMs = 86_400_000;
const madeAhead = 3;
const mostKeysAtOnce = 50_000;
// Others wait for so long at most, and less than PostgreSQL waits before it looks for deadlocks: it is never they who fail.
// Statements that are sent together are one transaction.
const patience = `SET LOCAL lock_timeout = '500ms'`;

/**
 * How long a partition is, in days: a fifth of the time for which the ledger is kept, so that there are some ten of
 * them whatever that is. 0 keeps everything.
 */
function partitionDays(retentionDays: number): number {
  return retentionDays === 0 ? 30 : Math.ceil(retentionDays / 5);
}

/**
 * Makes the partitions of the time to come, as far as they are missing: three of them, or those of so many days. Answers
 * with the names of those made.
 */
export async function createPartitions(
  client: Pick<pg.ClientBase, 'query'>,
  { retentionDays, aheadDays, now = Date.now() }: { retentionDays: number; aheadDays?: number; now?: number },
): Promise<string[]> {
  const lengthMs = partitionDays(retentionDays) * dayMs;
  const aheadMs = aheadDays === undefined ? madeAhead * lengthMs : aheadDays * dayMs;
  const made: string[] = [];
  for (const table of tables) {
    const ends = (await listPartitions(client, table)).map(({ endsAt }) => endsAt);
    for (let end = Math.max(...ends); end < now + aheadMs; end += lengthMs) {
      made.push(await createPartition(client, table, { from: end, to: end + lengthMs }));
    }
  }
  return made;
}

async function createPartition(
  client: Pick<pg.ClientBase, 'query'>,
  table: Table,
  { from, to }: { from: number; to: number },
): Promise<string> {
  const name = `${table}_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`;
  // Attached afterwards, for that holds up nobody.
  await client.query(`${patience};
    CREATE TABLE "${name}" (LIKE "${table}" INCLUDING ALL);
    ALTER TABLE "${table}" ATTACH PARTITION "${name}" FOR VALUES FROM ('${idAt(new Date(from))}') TO ('${idAt(new Date(to))}')`);
  return name;
}

/**
 * Drops the partitions whose newest row is older than so many days; 0 keeps everything. One in which a delivery is still
 * pending is kept with its events. Answers with the names of those dropped.
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
    await forgetKeys(db, endsAt);
    dropped.push(...(await dropTogether(db, name, endsAt)));
  }
  return dropped;
}

/** All of one time in one transaction, unless a delivery in it was sent again just now. */
async function dropTogether(db: Database, deliveries: string, endsAt: number): Promise<string[]> {
  return inTransaction(db, async (client) => {
    await client.query(`${patience}; LOCK TABLE "${deliveries}" IN ACCESS EXCLUSIVE MODE`);
    if (await hasPending(client, deliveries)) return [];
    const dropped: string[] = [];
    for (const table of tables) {
      const old = (await listPartitions(client, table)).find((one) => one.endsAt === endsAt);
      if (!old) continue;
      await client.query(`DROP TABLE "${old.name}"`);
      dropped.push(old.name);
    }
    return dropped;
  });
}

/** The moments at which something that was dropped began or ended: what was kept is whole on one side of each only. */
export async function findDroppedEdges({ pool }: Database): Promise<Date[]> {
  const kept = await listPartitions(pool, 'events');
  const edges = kept.flatMap(({ beginsAt }, index) => {
    const before = kept[index - 1]?.endsAt;
    return beginsAt === before ? [] : [before, beginsAt];
  });
  return edges.filter((at) => at !== undefined).map((at) => new Date(at));
}

async function hasPending(client: Pick<pg.ClientBase, 'query'>, name: string): Promise<boolean> {
  const { rows } = await client.query<{ pending: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM "${name}" WHERE ${isClaimable})
      OR EXISTS (SELECT 1 FROM "${name}" WHERE lease_expires_at IS NOT NULL)
      OR EXISTS (SELECT 1 FROM "${name}" WHERE state = 'pending' AND parked_at IS NULL AND next_attempt_at IS NOT NULL)
      OR EXISTS (SELECT 1 FROM "${name}" WHERE parked_at < 'infinity')
      OR EXISTS (SELECT 1 FROM "${name}" WHERE parked_at = 'infinity') AS pending`,
  );
  return rows[0]?.pending ?? true;
}

async function forgetKeys({ pool }: Database, before: number): Promise<void> {
  const some = `DELETE FROM event_keys
    WHERE ctid = ANY (ARRAY (SELECT ctid FROM event_keys WHERE event_id < $1 LIMIT ${mostKeysAtOnce}))`;
  for (;;) {
    const { rowCount } = await pool.query(some, [idAt(new Date(before))]);
    if ((rowCount ?? 0) < mostKeysAtOnce) return;
  }
}

async function listPartitions(client: Pick<pg.ClientBase, 'query'>, table: Table): Promise<Partition[]> {
  const { rows } = await client.query<{ name: string; begin: string | null; end: string }>(
    `SELECT c.relname AS name, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'FROM \\(''([0-9a-f-]{36})''') AS begin,
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

const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
