import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { deadClientSettings, handleConnectionErrors, sessionConfig } from '@ringback/runtime';
import type { Actor } from './changes.js';
import { PrismaClient } from './generated/client.js';
import { openSecrets, type SecretKey, type Secrets } from './secrets.js';

export type DatabaseOptions = {
  /** `postgresql://user:password@host:port/database` */
  url: string;
  /** Connections at most; 10 when absent. */
  connections?: number;
  /** For how long a query waits for a connection; 2 s when absent. */
  connectTimeoutMs?: number;
  /** Whether a connection stays open while nobody uses it; otherwise it is closed after 10 s. */
  keepConnections?: boolean;
  /** Processes that PostgreSQL may use for a statement beside its own; as the server is set when absent. */
  parallelWorkers?: number;
  /** How long a statement may take before it fails as if the server were away; for ever when absent. */
  queryTimeoutMs?: number;
  /** Keys for secrets at rest: the first seals, every one opens. None when absent: secrets are stored in clear. */
  secretKeys?: readonly SecretKey[];
  /**
   * `indexes`: statements are planned once and read tables by their indexes, whatever the statistics say. For workers, whose
   * few statements always look for few rows in tables that may have grown a thousandfold since they were analysed.
   */
  planner?: 'indexes';
  /** Called for a connection that broke while nobody used it. */
  onError?: (error: Error) => void;
};

/**
 * One pool: Prisma for the management side, plain SQL in batches for the ledger. What is changed with it is noted in the
 * log of changes as done by `actor`.
 */
export type Database = {
  prisma: PrismaClient;
  pool: pg.Pool;
  secrets: Secrets;
  actor: Actor;
  close(): Promise<void>;
};

// Hash joins stay: they join the parts of a batch with each other.
const byIndexes = { enable_seqscan: 'off', enable_mergejoin: 'off', plan_cache_mode: 'force_generic_plan' };

/**
 * Opens the pool, for an operator until `actingAs` says otherwise. Connects at the first query; a server that is away
 * fails that query.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, connections = 10, connectTimeoutMs = 2_000, queryTimeoutMs, secretKeys = [], onError } = options;
  const { keepConnections = false, parallelWorkers, planner } = options;
  const parallel = parallelWorkers === undefined ? {} : { max_parallel_workers_per_gather: parallelWorkers };
  const planning = planner === 'indexes' ? byIndexes : {};
  const pool = new pg.Pool({
    ...sessionConfig(url, { ...deadClientSettings.keepalives, ...planning, ...parallel }),
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: keepConnections ? 0 : 10_000,
    // The server gives up first, so that the connection stays usable; the client when the server says nothing at all.
    ...(queryTimeoutMs === undefined ? {} : { statement_timeout: queryTimeoutMs, query_timeout: queryTimeoutMs + 500 }),
    keepAlive: true,
    idle_in_transaction_session_timeout: deadClientSettings.idle_in_transaction_session_timeout,
    application_name: 'ringback',
  });
  pool.on('error', (error) => onError?.(error));
  handleConnectionErrors(pool);
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) });
  const close = async () => {
    await prisma.$disconnect();
    await pool.end();
  };
  return { prisma, pool, secrets: openSecrets(secretKeys), actor: 'operator', close };
}

/** The same database in somebody's name. */
export const actingAs = (db: Database, actor: Actor): Database => ({ ...db, actor });

/**
 * Opens all connections of the pool, so that no query has to wait for that; together with `keepConnections`. The server
 * may have no room for all of them: the rest are opened when they are needed.
 */
export async function openConnections({ pool }: Database): Promise<void> {
  const opening = Array.from({ length: pool.options.max }, () => pool.connect());
  for (const opened of await Promise.allSettled(opening)) if (opened.status === 'fulfilled') opened.value.release();
}

/** Resolves when the database answers; throws its error otherwise. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.pool.query('SELECT 1');
}

/** Whether sessions have JIT on although they ask for it to be off: a pooler in between drops what they ask for. */
export async function hasJit(db: Database): Promise<boolean> {
  const { rows } = await db.pool.query<{ jit: string }>('SHOW jit');
  return rows[0]?.jit === 'on';
}
