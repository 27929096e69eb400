import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { types } from 'node:util';
import pg from 'pg';

/** The database with all migrations. Each test database is a copy of it. */
export const templateName = 'ringback_template';

export type TestDatabase = { name: string; url: string; drop(): Promise<void> };

/**
 * Creates a database for one test file: with all tables and no accounts, or as a copy of `template`. Retries for 5 s
 * while the template has connections. `template0` is PostgreSQL's empty database.
 */
export async function createTestDatabase(template = templateName): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  for (let tries = 1; !(await tryCreate(name, template)); tries++) {
    if (tries === 50) throw new Error(`${template} cannot be copied: it was in use during 50 tries`);
    await sleep(100);
  }
  return { name, url: databaseUrl(name), drop: () => execute(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** The URL of this test run's Redis. Undefined when redis-server is not installed. */
export function redisUrl(): string | undefined {
  return process.env.TEST_REDIS_URL || undefined;
}

/**
 * The folder, with a slash at its end, that has the compiled programs (`apps/api/dist/main.js` and so on) for a test:
 * the clone, or in a run of all tests a folder with the bundles of these programs, which start in half of the time.
 */
export const homeOfPrograms = (root: string) => process.env.TEST_PROGRAMS ?? root;

/** Runs one statement as the superuser, by default in the database `postgres`. */
export async function execute(sql: string, database = 'postgres'): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(database) });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The URL of a database on the test run's server. */
export function databaseUrl(name: string): string {
  const { TEST_POSTGRES_URL: serverUrl } = process.env;
  if (!serverUrl)
    throw new Error('TEST_POSTGRES_URL is not set: run the tests with jest and the jest.config.mjs of the repository');
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

async function tryCreate(name: string, template: string): Promise<boolean> {
  try {
    await execute(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    return true;
  } catch (error) {
    // Another test file is copying the template.
    if (types.isNativeError(error) && 'code' in error && error.code === '55006') return false;
    throw error;
  }
}

export type TestBackend = { name: 'postgres' | 'redis'; redisUrl: string | undefined };

const all: TestBackend[] = [
  { name: 'postgres', redisUrl: undefined },
  ...(redisUrl() === undefined ? [] : [{ name: 'redis' as const, redisUrl: redisUrl() }]),
];

/**
 * The queue engines to test, for `describe.each(backends)('… on $name', …)`. Without redis-server there is only
 * PostgreSQL, and `npm test` says so. With QUICK_TESTS, which `npm test` sets, there is only the last one.
 */
export const backends = process.env.QUICK_TESTS ? all.slice(-1) : all;
