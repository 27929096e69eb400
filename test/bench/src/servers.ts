import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@ringback/database';
import { findFreePort, guardProcess, startEmbeddedPostgres } from '@ringback/embedded';

export type Servers = {
  databaseUrl: string;
  /** Undefined on BullMQ's PostgreSQL backend. */
  redisUrl: string | undefined;
  redisPid: number | undefined;
  postgresPid: number | undefined;
  stop(): Promise<void>;
};

/** Starts a PostgreSQL as durable as in production, and for the Redis backend a Redis as docs/operations.md has it. */
export async function startServers(backend: 'redis' | 'postgres'): Promise<Servers> {
  const folder = mkdtempSync(join(tmpdir(), 'ringback-bench-'));
  const settings = { shared_buffers: '512MB', max_wal_size: '4GB' };
  const [postgres, redis] = await Promise.all([
    startEmbeddedPostgres({ folder, settings, temporary: true }),
    backend === 'redis' ? startRedis() : undefined,
  ]);
  return {
    databaseUrl: postgres.url,
    redisUrl: redis?.url,
    redisPid: redis?.pid,
    postgresPid: await postmasterOf(postgres.url),
    async stop() {
      await redis?.stop();
      await postgres.stop(2_000);
    },
  };
}

async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'ringback-bench-redis-'));
  const port = await findFreePort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'yes',
    'maxmemory-policy': 'noeviction',
    'hash-max-listpack-value': 1024,
  };
  const child = spawn(
    'redis-server',
    Object.entries(settings).flatMap(([key, value]) => [`--${key}`, String(value)]),
    { stdio: 'ignore' },
  );
  const failed = once(child, 'error').then(([error]) =>
    Promise.reject(new Error(`redis-server cannot be run: ${String(error)}`)),
  );
  const guard = guardProcess(child.pid ?? 0, [{ signal: 'SIGKILL', withinMs: 2_000 }], folder);
  await Promise.race([awaitPort(port), failed]);
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid,
    async stop() {
      child.kill('SIGKILL');
      guard.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function awaitPort(port: number): Promise<void> {
  const opens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  while (!(await opens())) await sleep(20);
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
