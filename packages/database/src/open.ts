import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { deadClientSettings, handleConnectionErrors, sessionConfig } from '@ringback/runtime';
import { PrismaClient } from './generated/client.js';
import { createSecrets, type SecretKey, type Secrets } from './secrets.js';

/** Who makes a change: the owner of an access token, or the operator of the service. */
export type Actor = 'operator' | `token:${string}`;

export type DatabaseOptions = {
  /** `postgresql://user:password@host:port/database` */
  url: string;
  /** Maximum connections; 10 when absent. */
  connections?: number;
  /** How long a query waits for a connection; 2 s when absent. */
  connectTimeoutMs?: number;
  /** Whether idle connections stay open; otherwise they are closed after 10 s. */
  keepConnections?: boolean;
  /** Maximum parallel workers of a statement in PostgreSQL; the server's setting when absent. */
  parallelWorkers?: number;
  /** Maximum time of a statement, after which it fails as if the server were away; no limit when absent. */
  queryTimeoutMs?: number;
  /** Keys for secrets at rest: the first one seals, each one opens. Without keys, secrets are stored unencrypted. */
  secretKeys?: readonly SecretKey[];
  /**
   * `indexes`: statements are planned once and read tables by their indexes, independently of the statistics. For workers:
   * their statements always read few rows, in tables that may have grown a thousandfold since they were analysed.
   */
  planner?: 'indexes';
  /** Called when an idle connection breaks. */
  onError?: (error: Error) => void;
};

/**
 * One pool of connections: Prisma for management, SQL in batches for the ledger. The log of changes names `actor` for
 * changes that are made with it.
 */
export type Database = {
  prisma: PrismaClient;
  pool: pg.Pool;
  secrets: Secrets;
  actor: Actor;
  close(): Promise<void>;
};

// Hash joins stay allowed: they join the rows of a batch with each other.
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
  return { prisma, pool, secrets: createSecrets(secretKeys), actor: 'operator', close };
}

/** The same database in somebody's name. */
export const actingAs = (db: Database, actor: Actor): Database => ({ ...db, actor });

/**
 * Opens all connections of the pool, so that no query has to wait for one; use it with `keepConnections`. Connections that
 * the server refuses are opened when they are needed.
 */
export async function openConnections({ pool }: Database): Promise<void> {
  const opening = Array.from({ length: pool.options.max }, () => pool.connect());
  for (const opened of await Promise.allSettled(opening)) if (opened.status === 'fulfilled') opened.value.release();
}

/** Resolves when the database answers; throws its error otherwise. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.pool.query('SELECT 1');
}

/** Whether sessions use JIT although they turn it off: a connection pooler dropped the setting. */
export async function hasJit(db: Database): Promise<boolean> {
  const { rows } = await db.pool.query<{ jit: string }>('SHOW jit');
  return rows[0]?.jit === 'on';
}
