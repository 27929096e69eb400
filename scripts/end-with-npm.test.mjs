import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '../packages/testing/dist/index.js';

// A small clone that the real npm runs. Its app, and its build if `slow` exists, write their process id and run until a
// signal.
const app = `
import { appendFileSync } from 'node:fs';
const timer = setInterval(() => undefined, 1000);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => { appendFileSync('ended', 'stopped'); clearInterval(timer); });
}
appendFileSync('pid', process.pid + '\\n');`;
const turbo = `
const fs = require('fs');
if (fs.existsSync('slow')) {
  fs.appendFileSync('pid', process.pid + '\\n');
  setInterval(() => undefined, 1000);
}
fs.mkdirSync('apps/echo/dist', { recursive: true });
fs.copyFileSync('apps/echo/src/main.ts', 'apps/echo/dist/main.js');`;

const scriptsOf = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).scripts;

let root;
const write = (path, content) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const { npm_lifecycle_event: _event, NODE_OPTIONS: _options, ...env } = process.env;
const launch = (command, args) => spawn(command, args, { env, cwd: root, stdio: 'ignore', detached: true });
/** Reads complete lines only: an empty line would become process 0, which is the process group of this test. */
const pids = () =>
  existsSync(join(root, 'pid')) ? readFileSync(join(root, 'pid'), 'utf8').split('\n').slice(0, -1) : [];
const isUp = () => until(() => pids().length > 0, 'the app runs');
const isAlive = (pid) => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};
const isOver = () =>
  until(
    () => !pids().some(isAlive),
    () => `${pids()} ended`,
  );

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ringback-npm-'));
  const loaders = ['run.cjs', 'threads.cjs', 'node-version.cjs', 'run.mjs', 'end-with-npm.cjs'];
  for (const file of [...loaders, 'prepare.mjs']) {
    cpSync(new URL(file, import.meta.url), join(root, 'scripts', file));
  }
  const scripts = { echo: scriptsOf('../package.json').api.replace('api', 'echo') };
  write('package.json', JSON.stringify({ type: 'module', scripts }));
  write('package-lock.json', '{"packages":{}}');
  write('node_modules/.package-lock.json', '{"packages":{}}');
  write('packages/a/package.json', '{}');
  write('apps/echo/src/main.ts', app);
  write('node_modules/turbo/package.json', '{"type":"commonjs"}');
  write('node_modules/turbo/bin/turbo', turbo);
});
afterEach(() => {
  for (const pid of pids()) if (isAlive(pid)) process.kill(Number(pid), 'SIGKILL');
  rmSync(root, { recursive: true });
});

const onUnix = process.platform === 'win32' ? test.skip : test;
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'];

onUnix.each(signals)('when a %s ends npm, the app stops by itself', async (signal) => {
  const npm = launch('npm', ['run', 'echo']);
  await isUp();
  const ended = once(npm, 'close');
  npm.kill(signal);
  await Promise.all([ended, isOver()]);
  expect(readFileSync(join(root, 'ended'), 'utf8')).toMatch(/^stopped/);
});

test('every script that runs a program of Ringback replaces the shell with it', () => {
  const scripts = Object.values(scriptsOf('../package.json')).filter((script) => script.includes('scripts/'));
  expect(scripts.filter((script) => !script.startsWith('exec node ') && !script.includes('sbom'))).toEqual([]);
});

onUnix('when npm is killed during a build, the build stops', async () => {
  write('slow', '');
  const npm = launch('npm', ['run', 'echo']);
  await isUp();
  npm.kill('SIGKILL');
  await isOver();
});

onUnix.each([
  ['npm keeps running when the shell that started it ends', 'npm run echo & echo $!'],
  ['a process that npm does not run keeps running when its parent ends', 'node scripts/run.cjs echo & echo $!'],
])('%s', async (_what, command) => {
  // The shell ends at once, and its child gets another parent.
  const shell = launch('sh', ['-c', command]);
  await once(shell, 'close');
  await isUp();
  const [pid] = pids();
  // Longer than the check interval.
  const since = Date.now();
  await until(() => Date.now() - since > 1_000, 'a second has passed');
  expect(isAlive(pid)).toBe(true);
  process.kill(Number(pid), 'SIGTERM');
  await isOver();
});
