import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Database, openDatabase } from '@ringback/ledger';
import { describeTestPostgres, createTemporaryFolder, startRedis, startTestPostgres } from '@ringback/testing';

export type Servers = {
  databaseUrl: string;
  /** Undefined on the PostgreSQL backend. */
  redisUrl: string | undefined;
  redisPid(): number | undefined;
  /** Kills Redis and starts it with its data. Resolves when it responds. */
  restartRedis(): Promise<void>;
  postgresPid: number | undefined;
  stop(): Promise<void>;
};

const redisSettings = { appendfsync: 'everysec', 'hash-max-listpack-value': '1024' };

type Postgres = { url: string; pid: number | undefined; stop(): Promise<void> };

/**
 * Starts a PostgreSQL server that is as durable as in production, and on the Redis backend a Redis server with the
 * settings of docs/operate/deploy.md. With `databaseUrl` it creates a database on that server instead of starting one.
 */
export async function startServers(backend: 'redis' | 'postgres', databaseUrl?: string): Promise<Servers> {
  const [postgres, redis] = await Promise.all([
    databaseUrl === undefined ? startPostgres() : createDatabase(databaseUrl),
    backend === 'redis' ? startRedis(redisSettings) : undefined,
  ]);
  return {
    databaseUrl: postgres.url,
    redisUrl: redis?.url,
    redisPid: () => redis?.pid(),
    async restartRedis() {
      await redis?.kill();
      await redis?.start();
    },
    postgresPid: postgres.pid,
    async stop() {
      await redis?.remove();
      await postgres.stop();
    },
  };
}

/** Describes the measured PostgreSQL server for the report. */
export async function describePostgres(databaseUrl?: string): Promise<string> {
  if (databaseUrl === undefined) return describeTestPostgres();
  return withDatabase(databaseUrl, async ({ pool }) => {
    const { rows } = await pool.query<{ server_version: string }>('SHOW server_version');
    return `PostgreSQL ${rows[0]?.server_version} at DATABASE_URL`;
  });
}

async function startPostgres(): Promise<Postgres> {
  const folder = createTemporaryFolder('ringback-bench');
  const settings = { shared_buffers: '512MB', max_wal_size: '4GB' };
  const { url, stop } = await startTestPostgres({ folder, settings, temporary: true });
  return { url, pid: await withDatabase(url, postmasterOf), stop: () => stop(2_000) };
}

async function createDatabase(databaseUrl: string): Promise<Postgres> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  const execute = (sql: string) => withDatabase(databaseUrl, ({ pool }) => pool.query(sql));
  await execute(`CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href;
  const stop = async () => void (await execute(`DROP DATABASE ${name} WITH (FORCE)`));
  // The server may run on another machine.
  return { url, pid: undefined, stop };
}

async function withDatabase<T>(url: string, act: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase({ url, connections: 1, connectTimeoutMs: 60_000 });
  try {
    return await act(db);
  } finally {
    await db.close();
  }
}

/** Finds the postmaster, which is the parent of the process that serves a connection. */
async function postmasterOf({ pool }: Database): Promise<number | undefined> {
  try {
    const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const text = readFileSync(`/proc/${rows[0]?.pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
