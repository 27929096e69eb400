import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, createWebhook, openDatabase } from '@ringback/ledger';
import { makeCertificate, startReceiver, type Receiver } from '@ringback/receiver';
import { sampleEvent } from '@ringback/rules';
import {
  createTestDatabase,
  prepareTls,
  redisUrl,
  startRedis,
  startRedisCluster,
  startRedisWithSentinels,
  type TestDatabase,
  until,
} from '@ringback/testing';
import { ringback, runCli } from './cli.js';
import { runCommand } from './command.js';
import { run } from './processes.js';

(redisUrl() === undefined ? describe.skip : describe)('the API, a worker and the command line', () => {
  let database: TestDatabase;
  let receiver: Receiver;
  let closers: (() => Promise<unknown> | unknown)[];
  let env: NodeJS.ProcessEnv;

  beforeEach(async () => {
    [database, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
    closers = [() => database.drop(), () => receiver.close()];
    env = { DATABASE_URL: database.url, PORT: '0', EGRESS_ALLOWED_CIDRS: '127.0.0.0/8', LOG_FORMAT: 'json' };
  });
  afterEach(async () => {
    for (const close of closers.reverse()) await close();
  });

  const start = (app: string) => {
    const program = run(`apps/${app}/dist/main.js`, { env });
    closers.push(() => program.stop());
    return program;
  };
  const addWebhook = async () => {
    const db = openDatabase({ url: database.url, connections: 1, connectTimeoutMs: 60_000 });
    const { id: accountId } = await createAccount(db, { name: 'acme' });
    const plain = { active: true, secret: null, verificationCode: null, bodyTemplate: null, signing: true };
    const { webhook } = await createWebhook(db, accountId, { name: 'hook', uri: `${receiver.origin}/in`, ...plain });
    await db.close();
    return { accountId, webhookId: webhook.id };
  };
  /** Runs `event publish`, in a process of its own if the environment has a CA, which Node reads only at its start. */
  const publish = (input: string) => {
    const args = ['event', 'publish'];
    if ('NODE_EXTRA_CA_CERTS' in env) return runCommand('apps/cli/dist/main.js', { args, env, input });
    return runCli(args, { env, input });
  };
  /** Starts an API and a worker. The returned function publishes events and resolves when each has its callback. */
  const startAll = async () => {
    const [api, worker] = [start('api'), start('worker')];
    const target = await addWebhook();
    await Promise.all([api.waitFor(/api\.started/), worker.waitFor(/worker\.started/)]);
    return async (count: number) => {
      const expected = receiver.calls.length + count;
      const events = Array.from({ length: count }, () => sampleEvent('sms', target));
      const published = await publish(JSON.stringify(events));
      expect(published).toMatchObject({ code: 0, stderr: '' });
      await until(
        () => receiver.calls.length >= expected,
        () => `all callbacks came:\n${worker.output()}`,
      );
      const ids = receiver.calls.map(({ headers }) => headers['x-ringback-delivery']);
      expect(new Set(ids).size).toBe(expected);
    };
  };

  test('work on a cluster of three nodes', async () => {
    const cluster = await startRedisCluster();
    closers.push(() => cluster.remove());
    env = { ...env, REDIS_URL: cluster.url };
    const publishAndAwaitCallbacks = await startAll();
    await publishAndAwaitCallbacks(100);
    expect(await ringback(['audit'], { env })).toMatchObject({ findings: [] });
  });

  test('continue after a failover by Sentinel', async () => {
    const redis = await startRedisWithSentinels();
    closers.push(() => redis.remove());
    env = { ...env, REDIS_URL: redis.url };
    const publishAndAwaitCallbacks = await startAll();
    await publishAndAwaitCallbacks(20);
    await redis.servers[0].kill();
    await until(async () => (await redis.findPrimary()) === redis.servers[1], 'the replica is promoted');
    await publishAndAwaitCallbacks(20);
  });

  test('work over TLS with the CA of NODE_EXTRA_CA_CERTS; without it they print one line that the CA is unknown', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringback-tls-'));
    closers.push(() => rmSync(folder, { recursive: true, force: true }));
    const files = { key: join(folder, 'key'), cert: join(folder, 'cert') };
    const certificate = makeCertificate();
    writeFileSync(files.key, certificate.key);
    writeFileSync(files.cert, certificate.cert);
    const tls = await prepareTls(files);
    const redis = await startRedis(tls.settings);
    closers.push(() => redis.remove());
    env = { ...env, REDIS_URL: `rediss://localhost:${tls.port}` };
    const strangers = [start('api'), start('worker')];
    expect(await Promise.all(strangers.map(({ ended }) => ended))).toEqual([1, 1]);
    // Newer versions of Node add a hint.
    const line = expect.stringMatching(
      /^ringback: REDIS_URL: cannot be reached \(self-signed certificate(;[^\n]+)?\)\n$/,
    );
    expect(strangers.map(({ output }) => output())).toEqual([line, line]);
    env = { ...env, NODE_EXTRA_CA_CERTS: files.cert };
    const publishAndAwaitCallbacks = await startAll();
    await publishAndAwaitCallbacks(5);
  });
});
