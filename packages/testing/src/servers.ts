import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { types } from 'node:util';
import pg from 'pg';

/** The name of the database with all migrations that each test's database is a copy of. */
export const templateName = 'ringback_template';

export type TestDatabase = { url: string; drop(): Promise<void> };

/** A database of its own for a test file, with all tables and no rows. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  for (let attempt = 1; !(await tryCreate(name)); attempt++) {
    if (attempt === 50) throw new Error(`${templateName} is in use all the time`);
    await sleep(100);
  }
  return { url: databaseUrl(name), drop: () => execute(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** The Redis of this run, or undefined when the machine has no redis-server. */
export function redisUrl(): string | undefined {
  return process.env.TEST_REDIS_URL || undefined;
}

export type TestBackend = { name: 'postgres' | 'redis'; redisUrl: string | undefined };

/**
 * Both engines of the queue, for `describe.each(backends)('… on $name', …)`. Without a redis-server there is only
 * one, which `npm test` says loudly at its end; with CI=true the run does not even start.
 */
export const backends: TestBackend[] = [
  { name: 'postgres', redisUrl: undefined },
  ...(redisUrl() === undefined ? [] : [{ name: 'redis' as const, redisUrl: redisUrl() }]),
];

/** Runs one statement as the superuser, in the database `postgres` unless another is named. */
export async function execute(sql: string, database = 'postgres'): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(database) });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The address of a database of this run's server. */
export function databaseUrl(name: string): string {
  const { TEST_POSTGRES_URL: admin } = process.env;
  if (!admin)
    throw new Error('TEST_POSTGRES_URL is not set: run the tests with jest and the configuration of the repository');
  return Object.assign(new URL(admin), { pathname: `/${name}` }).href;
}

async function tryCreate(name: string): Promise<boolean> {
  try {
    await execute(`CREATE DATABASE ${name} TEMPLATE ${templateName}`);
    return true;
  } catch (error) {
    // The template is being copied by another test file in a way that excludes this one.
    if (types.isNativeError(error) && 'code' in error && error.code === '55006') return false;
    throw error;
  }
}
