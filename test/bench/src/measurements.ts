import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessUsage, readProcessUsage } from '@ringback/testing';
import type { Stack } from './stack.js';

/** `peakBytes` is the maximum resident memory since the start of the process. */
export type Usage = { cpuUs: number; peakBytes: number };

/** The usage of all processes of this machine so far, by process id. Empty on systems without /proc. */
export type Processes = ReadonlyMap<number, ProcessUsage>;

/** Reads the usage of all processes. */
export function readProcesses(): Processes {
  const processes = new Map<number, ProcessUsage>();
  if (process.platform !== 'linux') return processes;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const usage = readProcessUsage(Number(name));
    if (usage) processes.set(Number(name), usage);
  }
  return processes;
}

/** The CPU time so far and the peak memory of a process and all its descendants. */
export function usageOf(processes: Processes, pid: number | undefined): Usage {
  const isInTree = (id = 0): boolean => id !== 0 && (id === pid || isInTree(processes.get(id)?.parent));
  const all = [...processes].filter(([id]) => isInTree(id)).map(([, usage]) => usage);
  return {
    cpuUs: all.reduce((sum, { cpuMs, childrenCpuMs }) => sum + cpuMs + childrenCpuMs, 0) * 1_000,
    peakBytes: all.reduce((sum, { peakBytes }) => sum + peakBytes, 0),
  };
}

/** The exact CPU time so far of a process that waits, in µs. NaN without /proc or without such a process. */
export function readExactCpuUs(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
  } catch {
    return Number.NaN;
  }
}

export type Latency = { count: number; p50: number; p95: number; p99: number; max: number };

/** The count, percentiles by nearest rank, and maximum of durations in ms. */
export function describeLatency(durations: number[]): Latency {
  const sorted = Float64Array.from(durations).sort();
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

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
