import type { Database } from '@ringback/ledger';

const tables = ['events', 'deliveries', 'attempts'];

/** Adds partitions of the past `days` days to a new ledger, each `lengthDays` long, as in a ledger that is that old. */
export async function addPastPartitions(
  { pool }: Database,
  { days, lengthDays }: { days: number; lengthDays: number },
): Promise<void> {
  // The existing partition starts an hour ago, before all rows that are inserted from now on.
  const { rows } = await pool.query<{ bound: string }>(
    `SELECT quote_literal(ringback_uuid_v7_at(now() - interval '1 hour' - n * interval '1 day')) AS bound
      FROM generate_series(0, $1::int, $2::int) AS n`,
    [days, lengthDays],
  );
  const [newest = '', ...older] = rows.map(({ bound }) => bound);
  for (const table of tables) await addToTable(pool, table, { newest, older });
}

type Bounds = { newest: string; older: string[] };

async function addToTable(client: Pick<Database['pool'], 'query'>, table: string, { newest, older }: Bounds) {
  const first = `${table}_first`;
  const { rows } = await client.query<{ range: string }>(
    `SELECT pg_get_expr(relpartbound, oid) AS range FROM pg_class WHERE relname = $1`,
    [first],
  );
  await client.query(`ALTER TABLE ${table} DETACH PARTITION ${first}`);
  await client.query(`ALTER TABLE ${table} ATTACH PARTITION ${first} ${rows[0]?.range.replace('MINVALUE', newest)}`);
  let to = newest;
  for (const [index, from] of [...older, 'MINVALUE'].entries()) {
    const range = `FROM (${from}) TO (${to})`;
    await client.query(`CREATE TABLE ${table}_past_${index} PARTITION OF ${table} FOR VALUES ${range}`);
    to = from;
  }
}
