// What Jest runs before all tests: it starts the servers that they share. stop-servers.mjs stops them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundlePrograms } from '../scripts/bundle.mjs';
import { root } from '../scripts/prepare.mjs';
import { migrate } from '@ringback/ledger';
import { databaseUrl, execute, hasRedis, startRedis, startTestPostgres, templateName } from '@ringback/testing';

/** Fast settings: the data of a test run need not survive a crash. */
const fastSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  max_connections: '300',
};
const immediateStop = [
  { signal: 'SIGQUIT', withinMs: 2_000 },
  { signal: 'SIGKILL', withinMs: 1_000 },
];

/**
 * Starts one PostgreSQL and, if redis-server is installed, one Redis for the test run, which stop when jest ends.
 * Creates the template of the test databases.
 */
export default async function startTestServers() {
  const folder = mkdtempSync(join(tmpdir(), 'ringback-test-'));
  const [postgres, redis, programs] = await Promise.all([
    startTestPostgres({ folder, settings: fastSettings, orphanStopSequence: immediateStop, temporary: true }),
    hasRedis() ? startRedis({ appendonly: 'no' }) : undefined,
    process.env.TEST_BUNDLES ? bundleForTests() : undefined,
  ]);
  // Jest runs the teardown in the same process, but passes it nothing.
  globalThis.stopTestServers = async () => {
    await Promise.all([postgres.stop(500), redis?.remove()]);
    if (programs) rmSync(programs, { recursive: true });
  };
  if (programs) process.env.TEST_PROGRAMS = programs;
  process.env.TEST_POSTGRES_URL = postgres.url;
  process.env.TEST_REDIS_URL = redis?.url ?? '';
  await execute(`CREATE DATABASE ${templateName}`);
  await migrate(databaseUrl(templateName));
  // A database can only be copied while it has no connections.
  await execute(`ALTER DATABASE ${templateName} ALLOW_CONNECTIONS false`);
}

/** Bundles the programs, as for the npm package, to a folder inside the clone, so that they find the clone's files. */
async function bundleForTests() {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = join(mkdtempSync(join(cache, 'programs-')), '/');
  const { missing } = await bundlePrograms(folder);
  if (missing.length > 0) throw new Error(`the bundles lack ${missing}`);
  return folder;
}
