import { rmSync } from 'node:fs';
import pg from 'pg';
import type { EmbeddedPostgres } from '@ringback/embedded';
import { migrate } from '@ringback/ledger';
import { withTimeout } from '@ringback/process';
import { type BreakPoint, createTemporaryFolder, startTestPostgres } from '@ringback/testing';
import type { Testbed } from './testbed.js';

/** A PostgreSQL server of the suite. It keeps its port and its data across restarts. */
export type PostgresServer = {
  /** The URL for the processes of a scenario. Its user owns the databases and is no superuser. */
  url(database: string): string;
  /** The URL for the superuser. */
  adminUrl(database: string): string;
  /** Creates an empty database with all tables. */
  createDatabase(): Promise<string>;
  /** Runs one statement as the superuser. */
  query<R extends pg.QueryResultRow>(database: string, sql: string, values?: unknown[]): Promise<R[]>;
  start(): Promise<void>;
  /** Stops the server with a fast shutdown, which terminates all connections. Resolves when the process has ended. */
  stop(): Promise<void>;
  close(): Promise<void>;
};

// Without fsync, data survives a restart of the server. It does not survive a crash of the machine: no scenario has
// one.
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  log_min_messages: 'fatal',
  shared_preload_libraries: 'pg_stat_statements',
};
const template = 'faults_template';
/** The user of the processes. It owns the databases and is no superuser. */
export const userName = 'ringback';

/** Starts a server in a temporary folder. */
export async function startPostgresServer(): Promise<PostgresServer> {
  const folder = createTemporaryFolder('ringback-faults-pg');
  let running: EmbeddedPostgres | undefined;
  let base = '';
  let databases = 0;
  const start = async () => {
    running ??= await startTestPostgres({ folder, settings });
    base = running.url;
  };
  const stop = async () => {
    await running?.stop();
    running = undefined;
  };
  const adminUrl = (database: string) => Object.assign(new URL(base), { pathname: `/${database}` }).href;
  const url = (database: string) =>
    Object.assign(new URL(adminUrl(database)), { username: userName, password: userName }).href;
  const query = async <R extends pg.QueryResultRow>(database: string, sql: string, values?: unknown[]) => {
    const client = new pg.Client({ connectionString: adminUrl(database), connectionTimeoutMillis: 60_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<R>(sql, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  await start();
  await query('postgres', `CREATE ROLE ${userName} LOGIN PASSWORD '${userName}'`);
  await query('postgres', `CREATE DATABASE ${template} OWNER ${userName}`);
  await migrate(url(template));
  return {
    url,
    adminUrl,
    query,
    start,
    stop,
    async createDatabase() {
      const name = `faults_${++databases}`;
      await query('postgres', `CREATE DATABASE ${name} TEMPLATE ${template} OWNER ${userName}`);
      return name;
    },
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

type Where = Pick<Testbed, 'postgres' | 'database'>;

/** Runs `act` while a transaction holds the lock of a table, by default the exclusive one. */
export async function withLockedTable(
  { postgres, database }: Where,
  table: string,
  act: () => Promise<void>,
  mode: 'ACCESS EXCLUSIVE' | 'SHARE' = 'ACCESS EXCLUSIVE',
): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.adminUrl(database) });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${table} IN ${mode} MODE`);
    await act();
  } finally {
    await client.end();
  }
}

const waitsFor = (table: string) => `pg_locks WHERE NOT granted AND relation = '${table}'::regclass`;

/** The number of statements that wait for the lock of a table. */
export async function countLockWaits({ postgres, database }: Where, table: string): Promise<number> {
  return (await postgres.query(database, `SELECT 1 FROM ${waitsFor(table)}`)).length;
}

/** Ends the sessions that wait for the lock of a table. They go on without their client, which may have been killed. */
export async function endLockWaits({ postgres, database }: Where, table: string): Promise<void> {
  await postgres.query(database, `SELECT pg_terminate_backend(pid) FROM ${waitsFor(table)}`);
}

/** Opens a proxy for PostgreSQL that breaks a connection at a named statement. */
export async function startPostgresProxy({ env, startProxy }: Pick<Testbed, 'env' | 'startProxy'>) {
  const url = env.DATABASE_URL ?? '';
  const proxy = await startProxy(url);
  return {
    proxyUrl: proxy.proxyUrlFor(url),
    breakAt: ({ text, ...point }: BreakPoint) =>
      withTimeout(60_000, proxy.breakAt({ ...point, text: `ringback_${text}\0` }), () => {
        throw new Error(`no client sent "${text}" within 60 s`);
      }),
  };
}
