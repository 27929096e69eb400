import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@ringback/database';
import type { Ending } from '@ringback/embedded';
import { findMachinePostgres, startTestPostgres } from './machine-postgres.js';
import { hasRedis, startRedis } from './redis-server.js';
import { databaseUrl, execute, templateName } from './servers.js';

declare global {
  // Jest runs the teardown in the same process, and hands nothing over to it.
  var stopTestServers: (() => Promise<void>) | undefined;
}

/** Nothing of a test run has to survive a crash. */
const fast = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  max_connections: '300',
};
const atOnce: Ending = [
  { signal: 'SIGQUIT', withinMs: 2_000 },
  { signal: 'SIGKILL', withinMs: 1_000 },
];

/** Starts one PostgreSQL and, where there is one, one Redis for the whole run. They end with jest, however it ends. */
export default async function startTestServers(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ringback-test-'));
  const [postgres, redis] = await Promise.all([
    startTestPostgres({ folder, settings: fast, orphanEnding: atOnce, temporary: true }),
    hasRedis() ? startRedis({ appendonly: 'no' }) : undefined,
  ]);
  globalThis.stopTestServers = async () => {
    await Promise.all([postgres.stop(500), redis?.remove()]);
  };
  if (process.env.CI === 'true') {
    if (!redis) throw new Error('redis-server is not in PATH, and CI is set: nothing may be skipped');
    if (!findMachinePostgres())
      throw new Error('this machine has no PostgreSQL server, and CI is set: one has to be tested');
  }
  process.env.TEST_POSTGRES_URL = postgres.url;
  process.env.TEST_REDIS_URL = redis?.url ?? '';
  await execute(`CREATE DATABASE ${templateName}`);
  await migrate(databaseUrl(templateName));
  // Nobody can connect to it any more, so that it can be copied at any time.
  await execute(`ALTER DATABASE ${templateName} ALLOW_CONNECTIONS false`);
}
