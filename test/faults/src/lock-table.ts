import pg from 'pg';
import type { Testbed } from './testbed.js';

type Where = Pick<Testbed, 'postgres' | 'database'>;

/** Runs `act` while a transaction holds the exclusive lock of a table. */
export async function withLockedTable(
  { postgres, database }: Where,
  table: string,
  act: () => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.adminUrl(database) });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await act();
  } finally {
    await client.end();
  }
}

/** The number of statements that wait for the lock of a table. */
export async function countLockWaits({ postgres, database }: Where, table: string): Promise<number> {
  const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${table}'::regclass`;
  return (await postgres.query(database, waiting)).length;
}
