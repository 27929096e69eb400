import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeCertificate } from '@ringback/receiver';
import { prepareTls, redisUrl, startRedis, startRedisCluster } from '@ringback/testing';

const script = `import { openQueues } from ${JSON.stringify(new URL('../index.js', import.meta.url).href)};
const [, redisUrl, timeoutMs] = process.argv;
const settings = { redisUrl, databaseUrl: '', prefix: 'ringback', redisTimeoutMs: Number(timeoutMs) };
const queues = openQueues({ ...settings, onError() {} });
try {
  await queues.check();
  await queues.enqueueVerification('c0ffee00-0000-7000-8000-000000000001');
  console.log('waiting: ' + (await queues.countJobsByQueue()).verifications.waiting);
} catch (error) {
  console.log(error.message);
}
await queues.close();`;

(redisUrl() === undefined ? describe.skip : describe)('Redis over TLS', () => {
  let folder: string;
  let closers: (() => Promise<unknown>)[];
  const file = (name: string) => join(folder, name);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ringback-tls-'));
    closers = [];
    certify('localhost');
  });
  afterEach(async () => {
    for (const close of closers.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  });

  const certify = (name: string) => {
    const { key, cert } = makeCertificate({ name });
    writeFileSync(file('key'), key);
    writeFileSync(file('cert'), cert);
  };
  const tls = () => ({ key: file('key'), cert: file('cert') });
  const startServer = async (settings: Record<string, string> = {}, sentinel?: string[]) => {
    const encrypted = await prepareTls(tls());
    const redis = await startRedis({ ...encrypted.settings, ...settings }, sentinel);
    closers.push(() => redis.remove());
    return encrypted.port;
  };
  /** Starts servers, and returns their REDIS_URL. */
  const starters: Record<string, () => Promise<string>> = {
    'one server': async () => `rediss://localhost:${await startServer()}`,
    'a cluster': async () => {
      const cluster = await startRedisCluster({ tls: tls() });
      closers.push(() => cluster.remove());
      return cluster.url;
    },
    'Sentinel, whose own connections are encrypted too': async () => {
      const primary = await startServer();
      const sentinel = [`sentinel monitor ringback 127.0.0.1 ${primary} 1`];
      const port = await startServer({ 'tls-replication': 'yes' }, sentinel);
      return `rediss+sentinel://localhost:${port}/ringback`;
    },
  };
  /** Returns the script's output from a new process, because Node reads NODE_EXTRA_CA_CERTS only at its start. */
  const runScript = async (url: string, env: NodeJS.ProcessEnv = {}) => {
    const { NODE_OPTIONS: _ours, ...inherited } = process.env;
    // With an untrusted certificate, the client of a cluster tries again until the timeout, so this is short.
    const timeoutMs = env.NODE_EXTRA_CA_CERTS === undefined ? 5_000 : 60_000;
    const args = ['--input-type=module', '--eval', script, '--', url, String(timeoutMs)];
    return (await promisify(execFile)(process.execPath, args, { env: { ...inherited, ...env } })).stdout;
  };

  test.each(Object.keys(starters))(
    '%s: a self-signed certificate is trusted only in NODE_EXTRA_CA_CERTS',
    async (name) => {
      const url = await starters[name]!();
      expect(await runScript(url, { NODE_EXTRA_CA_CERTS: file('cert') })).toBe('waiting: 1\n');
      // Newer versions of Node add a hint.
      expect(await runScript(url)).toMatch(/^self-signed certificate(;[^\n]+)?\n$/);
    },
  );

  test('a certificate for another host name is refused', async () => {
    certify('redis.example.com');
    const url = await starters['one server']!();
    expect(await runScript(url, { NODE_EXTRA_CA_CERTS: file('cert') })).toMatch(
      /does not match certificate's altnames/,
    );
  });
});
