import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { isProcessAlive } from '@ringback/process';
import { until } from '@ringback/testing';

const launcher = fileURLToPath(new URL('./launcher.fixture.js', import.meta.url));
let folder: string;
let running: Run[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringback-start-'));
});
afterEach(async () => {
  for (const { child } of running) child.kill('SIGTERM');
  await Promise.all(running.map(({ ended }) => ended));
  running = [];
  rmSync(folder, { recursive: true, force: true });
});

type Run = { child: ChildProcess; ended: Promise<number | null>; output: () => string; errors: () => string };

function start(env: NodeJS.ProcessEnv = {}): Run {
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...rest } = process.env;
  const launcherEnv = { ...rest, ...env };
  const child = spawn(process.execPath, [launcher, folder], { env: launcherEnv, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const run = { child, ended, output: () => output, errors: () => errors };
  running.push(run);
  return run;
}

const allOutput = () => running.map((run) => run.output() + run.errors()).join('');
const isUp = (run: Run) =>
  until(
    () => /Ringback is running/.test(run.output()) && stubPids(run).length === 2,
    () => `Ringback runs: ${allOutput()}`,
  );
const stubPids = (run: Run) => [...run.output().matchAll(/stub (\d+)/g)].map(([, pid]) => Number(pid));
const readJson = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const postgresPid = () => Number(readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
const alivePids = (pids: number[]) => pids.filter(isProcessAlive);

test('a start prints all addresses, and Ctrl-C, which npm repeats, leaves no process running', async () => {
  const run = start({ PORT: '3456' });
  await isUp(run);
  const { access_token: token, id } = readJson('demo.json');
  for (const part of ['http://localhost:3456/api/v2', 'http://localhost:3456/docs', token, `--account ${id}`]) {
    expect(run.output()).toContain(part);
  }
  expect(run.output()).toMatch(/^ {2}Portal: http:\/\/localhost:3456\/portal\/#session=rb_portal_[\w-]{32}$/m);
  expect(run.output()).toMatch(/the link works once, within 60 minutes/);
  expect(readJson('running.json')).toMatchObject({
    pid: run.child.pid,
    baseUrl: 'http://localhost:3456/api/v2',
    queuePrefix: 'ringback',
  });
  for (const name of readdirSync(folder).filter((entry) => entry !== 'postgres')) {
    expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  const pids = [...stubPids(run), postgresPid()];
  run.child.kill('SIGINT');
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(0);
  expect(alivePids(pids)).toEqual([]);
  expect(existsSync(join(folder, 'running.json'))).toBe(false);
});

test('a second start is refused; a start after kill -9 works, with the same account', async () => {
  const first = start();
  await isUp(first);
  const account = readJson('demo.json');
  const second = start();
  expect(await second.ended).toBe(1);
  expect(second.errors()).toMatch(/^ringback: Ringback already runs in this folder, .*\n$/);
  const pids = stubPids(first);
  first.child.kill('SIGKILL');
  await first.ended;
  const third = start();
  await isUp(third);
  // The children of the killed process stop by themselves.
  await until(
    () => alivePids(pids).length === 0,
    () => `${pids} ended`,
  );
  expect(readJson('demo.json')).toEqual(account);
});

test('when the worker ends unexpectedly, everything stops and one line says why', async () => {
  const run = start();
  await isUp(run);
  const pids = [...stubPids(run), postgresPid()];
  const workerPid = stubPids(run)[1];
  // kill(0) would reach all processes of this test run.
  if (!workerPid) throw new Error('there is no worker');
  process.kill(workerPid, 'SIGKILL');
  expect(await run.ended).toBe(1);
  expect(run.errors()).toBe('ringback: the worker ended unexpectedly (SIGKILL); everything stops\n');
  expect(alivePids(pids)).toEqual([]);
});

test('a folder that npm start left behind with the ids of other processes, as after a power failure, is used again', async () => {
  const first = start();
  await isUp(first);
  first.child.kill('SIGTERM');
  await first.ended;
  const { port } = readJson('postgres/connection.json');
  const stale = [process.pid, folder, 1, port, '', '127.0.0.1', '', 'ready', ''];
  writeFileSync(join(folder, 'postgres/data/postmaster.pid'), stale.join('\n'));
  writeFileSync(join(folder, 'running.json'), JSON.stringify({ pid: process.pid }));
  await isUp(start());
});

test('a process that ignores SIGTERM is killed', async () => {
  const run = start({ STUB: 'stubborn' });
  await isUp(run);
  const pids = [...stubPids(run), postgresPid()];
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);
  expect(alivePids(pids)).toEqual([]);
});

test.each([
  ['a process that cannot start', { STUB: 'broken' }, 1, 'ringback: the stub is broken'],
  [
    'a database that cannot be reached',
    { DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/c' },
    1,
    'ringback: the database that DATABASE_URL names cannot be used: connect ECONNREFUSED 127.0.0.1:1',
  ],
])('%s stops the start with one line', async (_what, env, code, line) => {
  const run = start(env);
  expect(await run.ended).toBe(code);
  expect(run.errors()).toBe(`${line}\n`);
  expect(existsSync(join(folder, 'postgres/data/postmaster.pid'))).toBe(false);
});

test.each([
  ['PORT', 'abc', 'must be a whole number from 0 to 65535'],
  [
    'BASE_URL',
    'http://x/api?a=1',
    'must look like https://example.com/api/v2: a plain path, no user, no query, no fragment',
  ],
  [
    'WORKER_ROLES',
    'cook',
    'has no role "cook"; the roles are all, ingest-sms, ingest-rcs, deliver-sms, deliver-rcs, verify, maintain',
  ],
  ['PORTAL_LOGO_ORIGINS', 'a.example', 'has "a.example", which is not an origin such as https://example.com'],
  [
    'PORTAL_FRAME_ANCESTORS',
    'https://user:secret@a.example',
    'must not have a user name or password; an origin looks like https://example.com',
  ],
  ['EGRESS_PROXY', 'socks://x', 'must be the URL of a proxy, such as http://proxy.example:3128'],
  ['EGRESS_PROXY', 'http://proxy/path', 'must be the URL of a proxy, such as http://proxy.example:3128'],
  ['EGRESS_PROXY_HTTP', 'connect', 'must be forward or tunnel'],
  ['EGRESS_PROXY_PROBE', 'no', 'must be true or false'],
  [
    'EGRESS_PROXY_EXCEPT',
    'a b',
    'has "a b", which is not a host, a domain such as .example.com, an address or a range',
  ],
  ['EGRESS_ALLOWED_CIDRS', '10.0.0.0/99', 'has "10.0.0.0/99", which is not a CIDR range such as 10.0.0.0/8'],
  [
    'NAT64_PREFIXES',
    '10.0.0.0/8',
    'has "10.0.0.0/8", which is not a NAT64 prefix such as 2001:db8:64::/96; lengths are 32, 40, 48, 56, 64, 96',
  ],
  ['EGRESS_ALLOW', '10.0.0.0/99', 'has "10.0.0.0/99", which is not a CIDR range such as 10.0.0.0/8'],
  ['RETRY_TIME_SCALE', '-1', 'must be a number from 0 to 1000'],
])(
  'an invalid %s stops the start with one line, before anything is created or started',
  async (name, value, problem) => {
    const run = start({ [name]: value });
    expect(await run.ended).toBe(1);
    expect([run.output(), run.errors()]).toEqual(['', `ringback: ${name} ${problem}\n`]);
    expect(readdirSync(folder)).toEqual([]);
  },
);
