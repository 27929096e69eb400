import type pg from 'pg';
import type { Database } from './open.js';
import { inTransaction } from './transaction.js';
import { idAt } from './uuid.js';

/** The tables of the ledger, those that refer to others first. */
const tables = ['attempts', 'deliveries', 'events'] as const;
type Table = (typeof tables)[number];
type Partition = { name: string; endsAt: number };

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
export async function makePartitions(
  client: Pick<pg.ClientBase, 'query'>,
  { retentionDays, aheadDays, now = Date.now() }: { retentionDays: number; aheadDays?: number; now?: number },
): Promise<string[]> {
  const lengthMs = partitionDays(retentionDays) * dayMs;
  const aheadMs = aheadDays === undefined ? madeAhead * lengthMs : aheadDays * dayMs;
  const made: string[] = [];
  for (const table of tables) {
    const ends = (await listPartitions(client, table)).map(({ endsAt }) => endsAt);
    for (let end = Math.max(...ends); end < now + aheadMs; end += lengthMs) {
      made.push(await makeOne(client, table, { from: end, to: end + lengthMs }));
    }
  }
  return made;
}

async function makeOne(
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
  const { rows } = await pool.query<{ begin: string | null; end: string }>(
    `SELECT substring(bound FROM 'FROM \\(''([0-9a-f-]{36})''') AS begin, substring(bound FROM 'TO \\(''([0-9a-f-]{36})''') AS end
      FROM (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'events'::regclass) p ORDER BY 1 NULLS FIRST`,
  );
  const edges = rows.flatMap(({ begin }, index) => {
    const before = rows[index - 1]?.end ?? null;
    return begin === before ? [] : [before, begin];
  });
  return edges.filter((id) => id !== null).map((id) => new Date(timeOf(id)));
}

async function hasPending(client: Pick<pg.ClientBase, 'query'>, name: string): Promise<boolean> {
  const { rows } = await client.query<{ pending: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM "${name}" WHERE state = 'pending' AND parked_at IS NULL)
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
  const { rows } = await client.query<{ name: string; end: string }>(
    `SELECT c.relname AS name, substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \\(''([0-9a-f-]{36})''') AS end
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = $1::regclass ORDER BY 2`,
    [table],
  );
  return rows.map(({ name, end }) => ({ name, endsAt: timeOf(end) }));
}

const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
