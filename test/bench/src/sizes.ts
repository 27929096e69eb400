import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from './stack.js';

const ledger = `SELECT COALESCE(sum(pg_total_relation_size(c.oid)), 0)::float8 AS bytes FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'public' AND c.relkind = 'r' AND c.relname ~ '^(event|deliveries|attempts)'`;
const transactions = `SELECT xact_commit::float8 AS count FROM pg_stat_database WHERE datname = current_database()`;

/** The delay after which PostgreSQL's statistics contain the last transactions. */
const statisticsDelayMs = 1_500;

/** The size of the tables of the ledger with their indexes, in bytes. */
export async function ledgerBytes({ db }: Stack): Promise<number> {
  const { rows } = await db.pool.query<{ bytes: number }>(ledger);
  return rows[0]?.bytes ?? 0;
}

/** The number of bytes that PostgreSQL has written to its WAL so far. */
export async function walBytes({ db }: Stack): Promise<number> {
  const { rows } = await db.pool.query<{ bytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes`,
  );
  return rows[0]?.bytes ?? 0;
}

/** Counts the committed transactions from now on. */
export async function watchTransactions({ db }: Stack): Promise<() => Promise<number>> {
  const read = async () => {
    await sleep(statisticsDelayMs);
    const { rows } = await db.pool.query<{ count: number }>(transactions);
    return rows[0]?.count ?? 0;
  };
  const before = await read();
  return async () => (await read()) - before;
}
