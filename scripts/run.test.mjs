import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

// A small clone: an app that prints its arguments, and stubs of npm and turbo that record their runs.
const app = `
import { pbkdf2 } from 'node:crypto';
import { readdirSync, writeSync } from 'node:fs';
writeSync(1, JSON.stringify(process.argv.slice(1)) + '\\n');
if (process.argv[2] === 'fail') process.exitCode = 3;
if (process.argv[2] === 'threads') {
  for (let n = 0; n < 30; n++) pbkdf2('a', 'b', 50_000, 64, 'sha512', () => undefined);
  writeSync(1, readdirSync('/proc/self/task').length + '\\n' + process.env.RES_OPTIONS);
}
if (process.argv[2] === 'wait') {
  const timer = setInterval(() => undefined, 1000);
  process.on('SIGTERM', () => { writeSync(1, 'stopping\\n'); clearInterval(timer); process.exitCode = 4; });
  writeSync(1, 'up\\n');
}`;
const npm = `
const fs = require('fs');
console.log('npm talks');
fs.appendFileSync('ran', 'npm ');
fs.writeFileSync('node_modules/.package-lock.json', fs.readFileSync('package-lock.json'));`;
const turbo = `
const fs = require('fs');
console.log('turbo talks');
fs.appendFileSync('ran', 'turbo ');
if (fs.readFileSync('apps/echo/src/main.ts', 'utf8').includes('wrong')) process.exit(1);
fs.mkdirSync('apps/echo/dist', { recursive: true });
fs.copyFileSync('apps/echo/src/main.ts', 'apps/echo/dist/main.js');`;

/** A lock file whose one package an app needs. */
const lockOf = (version) =>
  JSON.stringify({ packages: { 'apps/api': { dependencies: { a: version } }, 'node_modules/a': { version } } });

let root;
const write = (path, content) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
/** The runs of npm and turbo since the last call. */
const ran = () => {
  const path = join(root, 'ran');
  const programs = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  rmSync(path, { force: true });
  return programs;
};
const start = (...args) => launch('run.cjs', ...args);
const launch = (script, ...args) => {
  const ours = { UV_THREADPOOL_SIZE: '', RES_OPTIONS: '' };
  const env = { ...process.env, ...ours, NODE_OPTIONS: '', npm_execpath: join(root, 'stub/npm-cli.js') };
  const child = spawn(process.execPath, [join(root, `scripts/${script}`), ...args], { env, cwd: tmpdir() });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { child, ended: ended.then(([stdout, stderr, [code]]) => ({ stdout, stderr, code })) };
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ringback-run-'));
  for (const file of [
    'run.cjs',
    'threads.cjs',
    'node-version.cjs',
    'run.mjs',
    'start.mjs',
    'end-with-npm.cjs',
    'prepare.mjs',
  ]) {
    cpSync(new URL(file, import.meta.url), join(root, 'scripts', file));
  }
  write('package.json', '{"type":"module"}');
  write('package-lock.json', lockOf('1.0.0'));
  write('packages/a/package.json', '{}');
  write('apps/echo/src/main.ts', app);
  write('node_modules/turbo/package.json', '{"type":"commonjs"}');
  write('node_modules/turbo/bin/turbo', turbo);
  write('stub/package.json', '{"type":"commonjs"}');
  write('stub/npm-cli.js', npm);
});

afterEach(() => rmSync(root, { recursive: true }));

test('a fresh clone is installed and built once, and stdout has only the output of the app', async () => {
  const { stdout, stderr, code } = await start('echo', 'a b', '--json').ended;
  const main = join(root, 'apps/echo/dist/main.js');
  expect([code, stdout]).toEqual([0, `${JSON.stringify([main, 'a b', '--json'])}\n`]);
  expect(stderr).toMatch(/^Installing packages[^]*Building/);
  expect(ran()).toBe('npm turbo');
  expect(await start('echo').ended).toEqual({ code: 0, stdout: `${JSON.stringify([main])}\n`, stderr: '' });
  expect(ran()).toBe('turbo');
});

test('an edited source is built again, and a changed lock file is installed again', async () => {
  await start('echo').ended;
  ran();
  write('apps/echo/src/main.ts', `${app}\n`);
  expect(await start('echo').ended).toMatchObject({ code: 0, stderr: '' });
  expect(ran()).toBe('turbo');
  write('package-lock.json', lockOf('1.0.1'));
  await start('echo').ended;
  expect(ran()).toBe('npm turbo');
});

test('two commands at once in a fresh clone install it once', async () => {
  const both = await Promise.all([start('echo').ended, start('echo').ended]);
  expect(both).toEqual([expect.objectContaining({ code: 0 }), expect.objectContaining({ code: 0 })]);
  expect(ran()).toBe('npm turbo turbo');
});

test('a build that fails prints its output, exits with code 1, and is tried again', async () => {
  write('apps/echo/src/main.ts', 'wrong');
  for (let time = 0; time < 2; time++) {
    const { stdout, stderr, code } = await start('echo').ended;
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/turbo talks\nringback: the build failed; its output is above\n$/);
  }
});

test('the exit code of the app is that of the command', async () => {
  expect(await start('echo', 'fail').ended).toMatchObject({ code: 3 });
});

test('a signal reaches the app, which stops by itself', async () => {
  const { child, ended } = start('echo', 'wait');
  child.stdout.on('data', (chunk) => String(chunk).includes('up') && child.kill('SIGTERM'));
  expect(await ended).toMatchObject({ code: 4, stdout: expect.stringMatching(/up\nstopping\n$/) });
});

test('`npm start` runs the build every time, and shows it only when there is something to build', async () => {
  write('apps/cli/dist/dev/main.js', "process.stderr.write('ringback: PORT is wrong\\n'); process.exitCode = 1;");
  const first = await launch('start.mjs').ended;
  expect(first).toMatchObject({ code: 1, stdout: '' });
  expect(first.stderr).toMatch(/^Installing packages[^]*Building \.\.\.[^]*\nringback: PORT is wrong\n$/);
  expect(ran()).toBe('npm turbo');
  expect(await launch('start.mjs').ended).toEqual({ code: 1, stdout: '', stderr: 'ringback: PORT is wrong\n' });
  expect(ran()).toBe('turbo');
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('there are threads for many DNS lookups at once, and a lookup times out within 2 s', async () => {
  const { stdout } = await start('echo', 'threads').ended;
  const [, threads, resolver] = stdout.split('\n');
  expect(Number(threads)).toBeGreaterThan(512);
  expect(resolver).toBe('timeout:1 attempts:2');
});
