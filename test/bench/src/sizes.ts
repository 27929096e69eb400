import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from './stack.js';

const ledger = `SELECT COALESCE(sum(pg_total_relation_size(c.oid)), 0)::float8 AS bytes FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'public' AND c.relkind = 'r' AND c.relname ~ '^(event|deliveries|attempts)'`;
const transactions = `SELECT xact_commit::float8 AS count FROM pg_stat_database WHERE datname = current_database()`;

/** What the last figures of PostgreSQL's own counters take to be seen by others. */
const countersLateMs = 1_500;

/** Bytes of events with their keys, deliveries and attempts in PostgreSQL, with their indexes. */
export async function ledgerBytes({ db }: Stack): Promise<number> {
  const { rows } = await db.pool.query<{ bytes: number }>(ledger);
  return rows[0]?.bytes ?? 0;
}

/** Bytes that PostgreSQL has written to its log so far. */
export async function walBytes({ db }: Stack): Promise<number> {
  const { rows } = await db.pool.query<{ bytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes`,
  );
  return rows[0]?.bytes ?? 0;
}

/** Counts from now on the transactions that PostgreSQL commits; the ledger's statements are one each. */
export async function watchTransactions({ db }: Stack): Promise<() => Promise<number>> {
  const read = async () => {
    await sleep(countersLateMs);
    const { rows } = await db.pool.query<{ count: number }>(transactions);
    return rows[0]?.count ?? 0;
  };
  const before = await read();
  return async () => (await read()) - before;
}
