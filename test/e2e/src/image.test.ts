import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import pg from 'pg';
import { parse } from 'yaml';
import { sign, sampleEvent } from '@ringback/rules';
import { findFreePort } from '@ringback/embedded';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { createTemporaryFolder, redisUrl, until } from '@ringback/testing';
import { customer } from './api.js';
import { type Container, inspectImage, readFiles, startContainer } from './container.js';
import { root } from './processes.js';

// Run by `npm run test:image`, which builds the image, and not by `npm run test:all`.
const image = inspectImage();
type Service = { command: string[]; environment: Record<string, string> };
const { services }: { services: Record<string, Service> } = parse(
  readFileSync(join(root, 'docker-compose.yml'), 'utf8'),
  {
    merge: true,
  },
);

describe('the image', () => {
  const folder = createTemporaryFolder('ringback-image');
  const { files, read } = readFiles(folder);
  const paths = files.map(({ path }) => path);
  const home = '/usr/local/lib/node_modules/ringback/';
  const { version, license } = JSON.parse(read(`${home}package.json`));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is smaller than 250 MB', () => {
    expect(image.size).toBeLessThan(250e6);
  });

  test('has the OCI labels', () => {
    expect(image.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Ringback',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': license,
    });
  });

  test('has a user other than root, by number, who can write to nothing of Ringback', () => {
    // Kubernetes checks runAsNonRoot by the number.
    expect(image.User).toMatch(/^[1-9]\d*$/);
    const ours = files.filter(({ path }) => path.startsWith('/usr/local/'));
    expect(ours.length).toBeGreaterThan(100);
    expect(ours.filter(({ owner, mode }) => owner !== '0/0' || /^[^l].{4}w|^[^l].{7}w/.test(mode))).toEqual([]);
  });

  test('has no shell, package manager, set-user-id program or test', () => {
    expect(paths).toContain('/usr/local/bin/node');
    const programs = /\/(sh|bash|dash|busybox|apt|dpkg|npm|npx|corepack|yarn|tini)$/;
    expect(paths.filter((path) => programs.test(path) || /\.(test|fixture)\.\w+$/.test(path))).toEqual([]);
    expect(files.filter(({ mode }) => /^-.{2}s|^-.{5}s/.test(mode))).toEqual([]);
  });

  test('has certificates and time zones', () => {
    expect(read('/etc/ssl/certs/ca-certificates.crt')).toMatch(/^-----BEGIN CERTIFICATE-----$/m);
    expect(paths).toContain('/usr/share/zoneinfo/Asia/Kolkata');
  });

  test('lists the npm packages of its bundles in an SBOM', () => {
    const texts = read(`${home}THIRD_PARTY_LICENSES`)
      .split(/^-{80}$/m)
      .slice(1);
    const bundled = texts.map((text) => text.trim().split('\n')[0]?.replace(' ', '@'));
    const { bomFormat, metadata, components } = JSON.parse(read(`${home}sbom.cdx.json`));
    expect([bomFormat, metadata.component['bom-ref']]).toEqual(['CycloneDX', `ringback@${version}`]);
    const listed: string[] = components.map((component: { 'bom-ref': string }) => component['bom-ref']);
    expect(listed.sort()).toEqual(bundled.sort());
    expect(listed.map((ref) => ref.replace(/@[^@]*$/, ''))).toEqual(
      expect.arrayContaining(['express', 'bullmq', '@prisma/client', 'react', 'swagger-ui-dist']),
    );
  });
});

describe('the image, run without privileges on a read-only file system', () => {
  const database = `image_${randomBytes(6).toString('hex')}`;
  const env = {
    DATABASE_URL: Object.assign(new URL(process.env.TEST_POSTGRES_URL ?? ''), { pathname: `/${database}` }).href,
    REDIS_URL: redisUrl() ?? '',
    QUEUE_PREFIX: database,
    EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
  };
  let api: Container;
  let worker: Container;
  let receiver: Receiver;
  let baseUrl = '';
  let account: { id: string; access_token: string; callback_token: string };
  let webhookId = '';

  const execute = async (sql: string) => {
    const client = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  /** Starts a service as docker-compose.yml describes it, with the servers of this test run. */
  const startService = (name: string, more: Record<string, string> = {}, user?: string) => {
    const { command, environment } = services[name]!;
    const defaults = Object.entries(environment).map(([key, value]) => [key, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]);
    return startContainer(command, { env: { ...Object.fromEntries(defaults), ...env, ...more }, user });
  };
  /** Runs a command of the command line in the container of the API, as an operator does. */
  const ringback = async (...args: string[]) => {
    const { code, stdout, stderr } = await api.exec(['ringback', ...args, '--json']);
    if (code !== 0) throw new Error(`ringback ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  };
  const isHealthy = async (container: Container) => (await container.exec(image.healthcheck)).code === 0;
  const expectGenuine = (call: Receiver['calls'][number] | undefined, payload: unknown) => {
    expect(JSON.parse(String(call?.body))).toEqual(payload);
    expect(call?.headers.signature).toBe(sign(call!.body, webhookId));
    expect(call?.headers.authorization).toBe(`Bearer ${account.callback_token}`);
  };

  beforeAll(async () => {
    await execute(`CREATE DATABASE ${database}`);
    receiver = await startReceiver();
  });

  afterAll(async () => {
    for (const container of [api, worker]) if (container?.child.exitCode === null) await container.stop();
    await receiver.close();
    await execute(`DROP DATABASE ${database} WITH (FORCE)`);
  });

  // OpenShift runs images as a user with a random number.
  test('migrates, as any user', async () => {
    const migration = startService('migrate', {}, '1000730000:0');
    expect([await migration.ended, migration.output()]).toEqual([0, expect.stringContaining('_first\n')]);
  });

  test('starts an API and a worker, which become healthy', async () => {
    const port = String(await findFreePort());
    baseUrl = `http://127.0.0.1:${port}/api/v2`;
    // They share this machine's network, so the worker's default HEALTH_PORT may be taken.
    api = startService('api', { PORT: port, HEALTH_PORT: port, BASE_URL: baseUrl });
    worker = startService('worker', { HEALTH_PORT: String(await findFreePort()) });
    await api.waitFor(/api\.started/);
    await worker.waitFor(/worker\.started/);
    await until(async () => (await isHealthy(api)) && (await isHealthy(worker)), 'both are healthy');
    expect((await api.exec(['node', '-p', 'process.getuid()'])).stdout.trim()).toBe(image.User);
  });

  test('creates an account and a webhook', async () => {
    account = await ringback('account', 'create', '--name', 'acme');
    const call = customer(baseUrl, account.access_token);
    const { status, body } = await call('POST', '/developer/webhooks', { name: 'hook', uri: `${receiver.origin}/` });
    expect([status, body.message]).toEqual([200, 'Created successfully']);
    webhookId = body.data.id;
  });

  test('calls back for an event that was pushed over HTTP', async () => {
    const { platform_token: token } = await ringback('platform-token', 'create');
    const event = sampleEvent('sms', { accountId: account.id, webhookId });
    expect((await customer(baseUrl, token)('POST', '/events', event)).status).toBe(202);
    expectGenuine((await receiver.waitFor(1))[0], event.payload);
  });

  test('calls back for a BullMQ job', async () => {
    const { event, ...data } = sampleEvent('sms', { accountId: account.id, webhookId });
    const { hostname: host, port } = new URL(env.REDIS_URL);
    const queue = new Queue('sms-events', { connection: { host, port: Number(port) }, prefix: env.QUEUE_PREFIX });
    await queue.add(event, data);
    await queue.close();
    expectGenuine((await receiver.waitFor(2))[1], data.payload);
  });

  test('finishes the callback in flight on SIGTERM and exits with 0', async () => {
    receiver.answerWith({ status: 200, delayMs: 1_000 });
    await ringback('event', 'sample', 'sms', '--account', account.id, '--webhook', webhookId);
    await receiver.waitFor(3);
    expect(await worker.stop()).toBe(0);
    const deliveries: { state: string }[] = await ringback('delivery', 'list');
    expect(deliveries.map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered']);
    expect(await api.stop()).toBe(0);
  });

  test('is not healthy when nothing listens', async () => {
    const port = String(await findFreePort());
    const [entrypoint = '', ...args] = image.healthcheck;
    const idle = startContainer(args, { env: { PORT: port, HEALTH_PORT: port }, entrypoint });
    expect(await idle.ended).toBe(1);
  });
});
