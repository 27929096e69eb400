import { describe, expect, test } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { sessionConfig } from '@ringback/process';
import { backends, createTestDatabase, startTcpProxy, until } from '@ringback/testing';
import { consume } from './consumer.fixture.js';
import { verificationQueue } from './jobs.js';
import { openQueueEngine } from './producer.js';
import { openQueues } from './producer.js';
import { isQueueUnavailable } from './engine.js';
import { type VerificationJob } from './verification-jobs.fixture.js';

describe.each(backends)('connections to $name that the network drops silently', (server) => {
  test('are closed, and producers and workers continue on new ones', async () => {
    const database = await createTestDatabase();
    const proxy = await startTcpProxy(server.redisUrl ?? database.url);
    const settings = {
      redisUrl: server.redisUrl && proxy.proxyUrlFor(server.redisUrl),
      databaseUrl: proxy.proxyUrlFor(database.url),
      prefix: `test_${randomBytes(6).toString('hex')}`,
    };
    const queues = openQueues({ ...settings, onError: () => undefined });
    const engine = openQueueEngine(settings);
    const taken = new Set<string>();
    const take = async ({ data }: VerificationJob) => void taken.add(data.verificationId);
    const options = {};
    const openWorker = () => consume(engine, verificationQueue, take, options);
    let worker = openWorker();
    const [first, second] = [randomUUID(), randomUUID()];
    const pushErrors: unknown[] = [];
    const push = (id: string) =>
      queues.enqueueVerification(id).then(
        () => true,
        (error: unknown) => !pushErrors.push(error),
      );
    expect(await push(first)).toBe(true);
    await until(() => taken.has(first), 'the worker takes a job');

    proxy.dropTraffic();
    proxy.pass();
    await until(() => push(second), 'a verification can be queued again');
    // In rare cases BullMQ's worker never notices that its connection is dead. Then the watchdog replaces the worker
    // (watchdog.test.ts), as this test does.
    await until(() => taken.has(second), 'the worker takes it', 45_000).catch(() => {
      worker.close(true).catch(() => undefined);
      worker = openWorker();
    });
    await until(() => taken.has(second), 'the worker, or a new one, takes it');
    expect(pushErrors.filter((error) => !isQueueUnavailable(error))).toEqual([]);
    expect(pushErrors.length).toBeGreaterThan(0);

    await worker.close(true);
    await engine.close();
    await queues.close();
    await proxy.close();
    await database.drop();
  });
});

test('a connection to PostgreSQL that falls silent within a transaction does not go back to the pool', async () => {
  const database = await createTestDatabase();
  const proxy = await startTcpProxy(database.url);
  const config = sessionConfig(proxy.proxyUrlFor(database.url), 'public');
  const pool = new pg.Pool({ ...config, max: 1, query_timeout: 300 });
  try {
    const client = await pool.connect();
    await client.query('BEGIN');
    proxy.dropTraffic();
    proxy.pass();
    await expect(client.query('SELECT 1')).rejects.toThrow('Query read timeout');
    await expect(client.query('ROLLBACK')).rejects.toThrow();
    client.release();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  } finally {
    await pool.end();
    await proxy.close();
    await database.drop();
  }
});

const testOnLinux = process.platform === 'linux' ? test : test.skip;

testOnLinux('TCP probes an idle connection to PostgreSQL after 10 s', async () => {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ ...sessionConfig(database.url, 'public'), max: 1 });
  pool.on('error', () => undefined);
  try {
    await pool.query('SELECT 1');
    const { rows } = await pool.query<{ port: number }>('SELECT inet_client_port() AS port');
    const port = rows[0]!.port.toString(16).toUpperCase().padStart(4, '0');
    // Kind 02 is the timer of the probes, in hundredths of a second.
    await until(() => {
      const timer = new RegExp(`^ *\\d+: \\w+:${port} .* 02:(\\w{8}) `, 'm').exec(
        readFileSync('/proc/net/tcp', 'utf8'),
      );
      return timer !== null && parseInt(timer[1]!, 16) <= 1_000;
    }, 'the probe is due within 10 s');
  } finally {
    await pool.end();
    await database.drop();
  }
});
