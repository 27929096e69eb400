import type { Database } from '@ringback/database';

const tables = ['events', 'deliveries', 'attempts'];
const dayMs = 86_400_000;

/**
 * Gives a ledger that has just been made the partitions of the days before, of `lengthDays` each, as it would have them
 * if it had been there all the time.
 */
export async function makePastPartitions(
  { pool }: Database,
  { days, lengthDays }: { days: number; lengthDays: number },
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    for (const table of tables) {
      const first = `${table}_first`;
      const { rows } = await client.query<{ bounds: string }>(
        `SELECT pg_get_expr(relpartbound, oid) AS bounds FROM pg_class WHERE relname = $1`,
        [first],
      );
      const ends = [Date.now() - dayMs / 24];
      while ((ends.at(-1) ?? 0) > Date.now() - days * dayMs) ends.push((ends.at(-1) ?? 0) - lengthDays * dayMs);
      const [newest, ...older] = await Promise.all(ends.map((end) => idOf(client, end)));
      await client.query(`ALTER TABLE ${table} DETACH PARTITION ${first}`);
      const bounds = rows[0]?.bounds.replace('MINVALUE', `'${newest}'`);
      await client.query(`ALTER TABLE ${table} ATTACH PARTITION ${first} ${bounds}`);
      let to = newest;
      for (const [index, from] of [...older.slice(0, -1), undefined].entries()) {
        const range = `FROM (${from === undefined ? 'MINVALUE' : `'${from}'`}) TO ('${to}')`;
        await client.query(`CREATE TABLE ${table}_past_${index} PARTITION OF ${table} FOR VALUES ${range}`);
        to = from;
      }
    }
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

async function idOf(client: Pick<Database['pool'], 'query'>, time: number): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>('SELECT ringback_uuid_v7_at($1::timestamptz) AS id', [
    new Date(time),
  ]);
  return rows[0]?.id;
}
