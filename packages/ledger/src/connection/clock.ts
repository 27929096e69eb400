import type { Database } from './open.js';

/** The milliseconds by which the clock of this machine is ahead of PostgreSQL's; negative if it is behind. */
export async function clockAheadMs(db: Database): Promise<number> {
  const before = Date.now();
  const { rows } = await db.pool.query<{ now: number }>(
    'SELECT EXTRACT(EPOCH FROM clock_timestamp())::float8 * 1000 AS now',
  );
  const after = Date.now();
  return (before + after) / 2 - (rows[0]?.now ?? after);
}
