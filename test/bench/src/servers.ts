import { readFileSync } from 'node:fs';
import { openDatabase } from '@ringback/database';
import { startEmbeddedPostgres } from '@ringback/embedded';
import { makeTemporaryFolder, startRedis } from '@ringback/testing';

export type Servers = {
  databaseUrl: string;
  /** Undefined on BullMQ's PostgreSQL backend. */
  redisUrl: string | undefined;
  redisPid(): number | undefined;
  /** kill -9; resolves when it answers again, with all its data. */
  restartRedis(): Promise<void>;
  postgresPid: number | undefined;
  stop(): Promise<void>;
};

const asInProduction = { appendfsync: 'everysec', 'hash-max-listpack-value': '1024' };

/** Starts a PostgreSQL as durable as in production, and for the Redis backend a Redis as docs/operations.md has it. */
export async function startServers(backend: 'redis' | 'postgres'): Promise<Servers> {
  const folder = makeTemporaryFolder('ringback-bench');
  const settings = { shared_buffers: '512MB', max_wal_size: '4GB' };
  const [postgres, redis] = await Promise.all([
    startEmbeddedPostgres({ folder, settings, temporary: true }),
    backend === 'redis' ? startRedis(asInProduction) : undefined,
  ]);
  return {
    databaseUrl: postgres.url,
    redisUrl: redis?.url,
    redisPid: () => redis?.pid(),
    async restartRedis() {
      await redis?.kill();
      await redis?.start();
    },
    postgresPid: await postmasterOf(postgres.url),
    async stop() {
      await redis?.remove();
      await postgres.stop(2_000);
    },
  };
}

/** Every connection is served by a child of the postmaster. */
async function postmasterOf(url: string): Promise<number | undefined> {
  const db = openDatabase({ url, connections: 1 });
  try {
    const { rows } = await db.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const text = readFileSync(`/proc/${rows[0]?.pid}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  } finally {
    await db.close();
  }
}
