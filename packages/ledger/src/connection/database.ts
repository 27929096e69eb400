import { requireWritableSql, sessionConfig } from '@ringback/process';
import pg from 'pg';
import type { PrismaClient } from '../generated/client.js';
import { createSecrets, type SecretKey, type Secrets } from './secrets.js';
import { float, text } from '../sql/columns.js';
import { statement } from '../sql/statement.js';

/**
 * Who makes a change: the holder of an access token or of a platform token, a session of the portal (its id, and the
 * name of the portal user after a space), or the operator of the service.
 */
export type Actor = 'operator' | `token:${string}` | `platform_token:${string}` | `portal:${string}`;

/** How a process connects to its database. */
export type DatabaseOptions = {
  /** `postgresql://user:password@host:port/database` */
  url: string;
  /** The schema of Ringback's tables; `public` when absent. */
  schema?: string;
  /** Maximum connections; 10 when absent. */
  connections?: number;
  /** How long a query waits for a connection; 2 s when absent. */
  connectTimeoutMs?: number;
  /** Whether idle connections stay open; otherwise they are closed after 10 s. */
  keepConnections?: boolean;
  /** Maximum parallel workers of a statement in PostgreSQL; the server's setting when absent. */
  parallelWorkers?: number;
  /**
   * Maximum duration of a statement. Above it, the statement fails as if the server were unavailable. No limit when
   * absent.
   */
  queryTimeoutMs?: number;
  /**
   * Keys for secrets at rest: the first one encrypts, each one decrypts. Without keys, secrets are stored unencrypted.
   */
  secretKeys?: readonly SecretKey[];
  /**
   * `indexes`: each connection plans a prepared statement once, and statements read tables by their indexes, whatever
   * PostgreSQL's statistics say. It is for workers: their statements read few rows, from tables that may have grown a
   * thousandfold since PostgreSQL analysed them.
   */
  planner?: 'indexes';
  /** Called with the error of an idle connection that breaks. */
  onError?: (error: Error) => void;
};

/**
 * A connection pool, which Prisma and plain SQL share. The change history names `actor` for changes through this
 * handle.
 */
export type Database = {
  /** Prisma's client. It is loaded at the first call: that takes 10 MB, and the first query about 30 MB more. */
  prisma(): Promise<PrismaClient>;
  pool: pg.Pool;
  schema: string;
  secrets: Secrets;
  actor: Actor;
  close(): Promise<void>;
};

// Hash joins stay allowed: they join the rows of a batch with each other.
const indexPlanSettings = { enable_seqscan: 'off', enable_mergejoin: 'off', plan_cache_mode: 'force_generic_plan' };

/**
 * Creates the pool. The actor is the operator; for another one, use `actingAs`. The pool connects at the first query,
 * which fails if the server is unavailable.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const {
    url,
    schema = 'public',
    connections = 10,
    connectTimeoutMs = 2_000,
    queryTimeoutMs,
    secretKeys = [],
    onError,
  } = options;
  const { keepConnections = false, parallelWorkers, planner } = options;
  const parallel = parallelWorkers === undefined ? {} : { max_parallel_workers_per_gather: parallelWorkers };
  const planning = planner === 'indexes' ? indexPlanSettings : {};
  const pool = new pg.Pool({
    // The server cancels the statement first, so the connection stays usable. The client gives up if the server is
    // silent.
    ...sessionConfig(url, schema, { ...planning, ...parallel, statement_timeout: queryTimeoutMs ?? 0 }),
    ...(queryTimeoutMs === undefined ? {} : { query_timeout: queryTimeoutMs + 500 }),
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: keepConnections ? 0 : 10_000,
    application_name: 'ringback',
  });
  pool.on('error', (error) => onError?.(error));
  let client: Promise<PrismaClient> | undefined;
  // The same wait as in the pool. Prisma's default is 2 s.
  const prisma = () => (client ??= loadPrisma(pool, { schema, maxWait: connectTimeoutMs }));
  const close = async () => {
    await (await client)?.$disconnect();
    await pool.end();
  };
  return { prisma, pool, schema, secrets: createSecrets(secretKeys), actor: 'operator', close };
}

async function loadPrisma(
  pool: pg.Pool,
  { schema, maxWait }: { schema: string; maxWait: number },
): Promise<PrismaClient> {
  const [{ PrismaClient }, { PrismaPg }] = await Promise.all([
    import('../generated/client.js'),
    import('@prisma/adapter-pg'),
  ]);
  const adapter = new PrismaPg(pool, { disposeExternalPool: false, schema });
  // Statements have a timeout of their own. Prisma's 5 s for all of a transaction are not enough on a busy machine.
  return new PrismaClient({ adapter, transactionOptions: { maxWait, timeout: 15_000 } });
}

/** The same database, with another actor in the change history. */
export const actingAs = (db: Database, actor: Actor): Database => ({ ...db, actor });

/**
 * Opens all connections of the pool, so that no query has to wait until one is open. Use it with `keepConnections`.
 * Connections that the server refuses are opened later, when they are needed.
 */
export async function warmPool({ pool }: Database): Promise<void> {
  const opening = Array.from({ length: pool.options.max }, () => pool.connect());
  for (const opened of await Promise.allSettled(opening)) if (opened.status === 'fulfilled') opened.value.release();
}

/**
 * Resolves if the database responds, and rejects with the error otherwise. After a timeout it tries again, up to
 * `attempts` times in all, because a machine is busiest while its processes start.
 */
export async function pingDatabase(db: Database, { attempts = 1 } = {}): Promise<void> {
  try {
    await db.pool.query('SELECT 1');
  } catch (error) {
    if (attempts === 1 || !(error instanceof Error && /timeout/i.test(error.message))) throw error;
    await pingDatabase(db, { attempts: attempts - 1 });
  }
}

/**
 * Resolves if the database accepts writes. Otherwise it rejects with the error, and the connection that it used is
 * closed, so that after a failover the next call can reach the new primary.
 */
export async function requireWritable({ pool }: Database): Promise<void> {
  await pool.query(requireWritableSql);
}

const settingsStatement = statement<{ names: string[] }>(
  'SELECT name, setting FROM pg_settings WHERE name = ANY($names::text[]) ORDER BY name',
).returns({ name: text.withoutNulls, setting: text.withoutNulls });

/**
 * The names of settings that the sessions of a worker's database lack, because a connection pooler dropped the options
 * of the connection. Looks at those that matter most.
 */
export async function findLostSettings({ pool }: Database): Promise<string[]> {
  const expected = new Map(Object.entries({ jit: 'off', TimeZone: 'UTC', ...indexPlanSettings }));
  const rows = await settingsStatement.rows(pool, { names: [...expected.keys()] });
  return rows.filter(({ name, setting }) => setting !== expected.get(name)).map(({ name }) => name);
}

/**
 * Runs `work` in a new transaction, which is rolled back if `work` throws. A connection that cannot roll back is
 * closed, which does the same.
 */
export async function inTransaction<T>({ pool }: Database, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let mustClose = false;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (mustClose = true));
    throw error;
  } finally {
    client.release(mustClose);
  }
}

const nowStatement = statement('SELECT EXTRACT(EPOCH FROM clock_timestamp())::float8 * 1000 AS now').returns({
  now: float,
});

/**
 * The milliseconds by which the clock of this machine is at least ahead of PostgreSQL's; negative if it is behind. 0 if
 * PostgreSQL's time is between the start and the end of the round trip, however long that took.
 */
export async function clockAheadMs(db: Database): Promise<number> {
  const before = Date.now();
  const row = await nowStatement.row(db.pool, {});
  const after = Date.now();
  const now = row?.now ?? after;
  return now < before ? before - now : Math.min(0, after - now);
}
