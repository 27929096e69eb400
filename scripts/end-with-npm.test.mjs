import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { until } from '../packages/testing/dist/index.js';

// A clone in small, run by the real npm. Its app, and its build when asked to, say who they are and go on until a signal.
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
/** Whole lines only: a file that is still empty names no process, and 0 would be this test's own group. */
const pids = () =>
  existsSync(join(root, 'pid')) ? readFileSync(join(root, 'pid'), 'utf8').split('\n').slice(0, -1) : [];
const isUp = () => until(() => pids().length > 0, 'it runs');
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
  for (const file of ['run.cjs', 'run.mjs', 'end-with-npm.mjs', 'elapsed.mjs', 'prepare.mjs', 'freshness.mjs']) {
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

onUnix.each(signals)('a %s that ends npm ends what it runs, in its own way', async (signal) => {
  const npm = launch('npm', ['run', 'echo']);
  await isUp();
  const ended = once(npm, 'close');
  npm.kill(signal);
  await Promise.all([ended, isOver()]);
  expect(readFileSync(join(root, 'ended'), 'utf8')).toMatch(/^stopped/);
});

test('every script that runs a program of ours lets it take the place of the shell', () => {
  const ours = Object.values(scriptsOf('../package.json')).filter((script) => script.includes('scripts/'));
  expect(ours.filter((script) => !script.startsWith('exec node ') && !script.includes('sbom'))).toEqual([]);
});

onUnix('an npm that is killed while it builds ends the build', async () => {
  write('slow', '');
  const npm = launch('npm', ['run', 'echo']);
  await isUp();
  npm.kill('SIGKILL');
  await isOver();
});

onUnix.each([
  ['npm is ended by nobody, whatever becomes of the shell that started it', 'npm run echo & echo $!'],
  ['a process that npm does not run survives its parent', 'node scripts/run.cjs echo & echo $!'],
])('%s', async (_what, command) => {
  // The shell ends at once, and its child belongs to another process from then on.
  const shell = launch('sh', ['-c', command]);
  await once(shell, 'close');
  await isUp();
  const [pid] = pids();
  // Longer than the watch takes to notice.
  const since = Date.now();
  await until(() => Date.now() - since > 1_000, 'a second has gone by');
  expect(isAlive(pid)).toBe(true);
  process.kill(Number(pid), 'SIGTERM');
  await isOver();
});
