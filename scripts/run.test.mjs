import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { until } from '../packages/testing/dist/index.js';
import boot from './boot.cjs';

// A small clone: an app that prints its arguments or waits for a signal, and stubs of npm and turbo that record their
// runs. `slow` makes the build endless.
const app = `
import { pbkdf2 } from 'node:crypto';
import { appendFileSync, readdirSync, writeSync } from 'node:fs';
writeSync(1, JSON.stringify(process.argv.slice(1)) + '\\n');
if (process.argv[2] === 'fail') process.exitCode = 3;
if (process.argv[2] === 'threads') {
  for (let n = 0; n < 30; n++) pbkdf2('a', 'b', 50_000, 64, 'sha512', () => undefined);
  writeSync(1, readdirSync('/proc/self/task').length + '\\n' + process.env.RES_OPTIONS);
}
if (process.argv[2] === 'heap') {
  let peak = 0;
  for (let i = 0, kept = []; i < 4_000_000; i++) {
    kept[i % 600_000] = { text: [i, i + 1, i + 2, i + 3] };
    if (i % 10_000 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed);
  }
  writeSync(1, String(peak));
}
if (process.argv[2] === 'wait') {
  const timer = setInterval(() => undefined, 1000);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {
    appendFileSync('ended', 'stopped');
    clearInterval(timer);
    process.exitCode = 4;
  });
  appendFileSync('pid', process.pid + '\\n');
}`;
const npm = `
const fs = require('fs');
console.log('npm talks');
fs.appendFileSync('ran', 'npm ');
fs.writeFileSync('node_modules/.package-lock.json', '{}');`;
const turbo = `
const fs = require('fs');
console.log('turbo talks');
fs.appendFileSync('ran', 'turbo ');
if (fs.existsSync('slow')) {
  fs.appendFileSync('pid', process.pid + '\\n');
  setInterval(() => undefined, 1000);
}
if (fs.readFileSync('apps/echo/src/main.ts', 'utf8').includes('wrong')) process.exit(1);
fs.mkdirSync('apps/echo/dist', { recursive: true });
fs.copyFileSync('apps/echo/src/main.ts', 'apps/echo/dist/main.js');`;

let root;
const write = (path, content) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const read = (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '');
/** The runs of npm and turbo since the last call. */
const ran = () => {
  const programs = read('ran').trim();
  rmSync(join(root, 'ran'), { force: true });
  return programs;
};
const { npm_lifecycle_event: _event, NODE_OPTIONS: _options, ...inherited } = process.env;
const env = () => ({
  ...inherited,
  UV_THREADPOOL_SIZE: '',
  RES_OPTIONS: '',
  npm_execpath: join(root, 'stub/npm-cli.js'),
});
const start = (...args) => run('scripts/run.cjs', 'apps/echo/dist/main.js', ...args);
const run = (file, ...args) => {
  const child = spawn(process.execPath, [join(root, file), ...args], { env: env(), cwd: root });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { child, ended: ended.then(([stdout, stderr, [code]]) => ({ stdout, stderr, code })) };
};
/** Reads complete lines only: an empty line would become process 0, which is the process group of this test. */
const pids = () => read('pid').split('\n').slice(0, -1).map(Number);
const isUp = () => until(() => pids().length > 0, 'the app runs');
const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ringback-run-'));
  for (const file of ['run.cjs', 'boot.cjs', 'prepare.mjs'])
    cpSync(new URL(file, import.meta.url), join(root, 'scripts', file));
  const { api } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).scripts;
  write('package.json', JSON.stringify({ type: 'module', scripts: { echo: `${api.replace('api', 'echo')} wait` } }));
  write('package-lock.json', '{}');
  write('apps/echo/src/main.ts', app);
  write('node_modules/turbo/package.json', '{"type":"commonjs"}');
  write('node_modules/turbo/bin/turbo', turbo);
  write('stub/package.json', '{"type":"commonjs"}');
  write('stub/npm-cli.js', npm);
});

afterEach(() => {
  for (const pid of pids()) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  rmSync(root, { recursive: true });
});

test('a fresh clone is installed and built once, and stdout has only the output of the app', async () => {
  const { stdout, stderr, code } = await start('a b', '--json').ended;
  const main = join(root, 'apps/echo/dist/main.js');
  expect([code, stdout]).toEqual([0, `${JSON.stringify([main, 'a b', '--json'])}\n`]);
  expect(stderr).toMatch(/^Installing packages[^]*Building/);
  expect(ran()).toBe('npm turbo');
  expect(await start().ended).toEqual({ code: 0, stdout: `${JSON.stringify([main])}\n`, stderr: '' });
  expect(ran()).toBe('turbo');
});

test('an edited source is built again, and a changed lock file is installed again', async () => {
  await start().ended;
  ran();
  write('apps/echo/src/main.ts', `${app}\n`);
  expect(await start().ended).toMatchObject({ code: 0, stderr: '' });
  expect(ran()).toBe('turbo');
  write('package-lock.json', '{ }');
  await start().ended;
  expect(ran()).toBe('npm turbo');
});

test('a build that fails prints its output, exits with code 1, and is tried again', async () => {
  write('apps/echo/src/main.ts', 'wrong');
  for (let time = 0; time < 2; time++) {
    const { stdout, stderr, code } = await start().ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/turbo talks\nringback: the build failed; its output is above\n$/);
  }
});

test('the exit code of the app is that of the command', async () => {
  expect(await start('fail').ended).toMatchObject({ code: 3 });
});

test('a signal reaches the app, which stops by itself', async () => {
  const { child, ended } = start('wait');
  await isUp();
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 4 });
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('there are threads for many DNS lookups at once, and a lookup times out within 2 s', async () => {
  const { stdout } = await start('threads').ended;
  const [, threads, resolver] = stdout.split('\n');
  expect(Number(threads)).toBeGreaterThan(512);
  expect(resolver).toBe('timeout:1 attempts:2 ndots:1');
});

test('garbage takes less memory than by the defaults of Node', async () => {
  const peak = async ({ ended }) => Number((await ended).stdout.split('\n')[1]);
  const ours = await peak(start('heap'));
  expect(ours).toBeLessThan(0.85 * (await peak(run('apps/echo/dist/main.js', 'heap'))));
});

test.each([
  ['20.19.0', true],
  ['20.18.3', false],
  ['18.20.8', false],
  ['22.0.0', true],
  ['9.11.2', false],
])('Node %s is new enough: %p', (version, enough) => {
  expect(boot.isNewEnough(version)).toBe(enough);
});

// The real npm runs the small clone.
const onUnix = process.platform === 'win32' ? describe.skip : describe;
onUnix('npm run', () => {
  const launch = (command, args) =>
    spawn(command, args, { env: inherited, cwd: root, stdio: 'ignore', detached: true });
  const isOver = () =>
    until(
      () => !pids().some(isAlive),
      () => `${pids()} ended`,
    );
  beforeEach(() => write('node_modules/.package-lock.json', '{}'));

  test.each(['SIGTERM', 'SIGHUP', 'SIGKILL'])('when a %s ends npm, the app stops by itself', async (signal) => {
    const npm = launch('npm', ['run', 'echo']);
    await isUp();
    const ended = once(npm, 'close');
    npm.kill(signal);
    await Promise.all([ended, isOver()]);
    expect(read('ended')).toMatch(/^stopped/);
  });

  test('when npm is killed during a build, the build stops', async () => {
    write('slow', '');
    const npm = launch('npm', ['run', 'echo']);
    await isUp();
    npm.kill('SIGKILL');
    await isOver();
  });
});
