import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { takeLock } from './lock.js';
import { identifyProcess } from './process-identity.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringback-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

const attempt = (act: () => unknown) => {
  try {
    return String(act());
  } catch (error) {
    return String(error);
  }
};

test('a free lock is taken, readable by its owner only, and released', () => {
  const release = takeLock(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  release();
  expect(existsSync(path)).toBe(false);
});

test('a lock that a living process holds is refused in one line that names it', () => {
  takeLock(path);
  expect(() => takeLock(path)).toThrow(new RegExp(`^it already runs in this folder, as process ${process.pid}; .*$`));
});

test('the lock of a process that was killed is taken over', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const pid = child.pid ?? 0;
  writeFileSync(path, `${pid} ${identifyProcess(pid)}`);
  const refused = attempt(() => takeLock(path));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  expect(refused).toContain(`as process ${pid}`);
  takeLock(path);
  expect(readFileSync(path, 'utf8')).toContain(`${process.pid} `);
});

test('a process that was given the id of the last holder does not hold the lock', () => {
  writeFileSync(path, `${process.pid} another boot 12345`);
  takeLock(path);
  expect(readFileSync(path, 'utf8')).toBe(`${process.pid} ${identifyProcess(process.pid)}`);
});

test('a lock that was cut off while it was written is taken over', () => {
  writeFileSync(path, '');
  expect(takeLock(path)).toBeInstanceOf(Function);
});

test('a release leaves the lock that another process has taken meanwhile', () => {
  const release = takeLock(path);
  writeFileSync(path, '1 of another process');
  release();
  expect(existsSync(path)).toBe(true);
});
