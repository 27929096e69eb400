import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { acquireFolderLock } from './folder-lock.js';
import { identifyProcess } from './process-identity.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringback-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

const resultOrError = (act: () => unknown) => {
  try {
    return String(act());
  } catch (error) {
    return String(error);
  }
};

test('a free lock is acquired, readable by its owner only, and released', () => {
  const release = acquireFolderLock(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  release();
  expect(existsSync(path)).toBe(false);
});

test('a lock that a running process has is refused with one line that names the process', () => {
  acquireFolderLock(path);
  expect(() => acquireFolderLock(path)).toThrow(
    new RegExp(`^Ringback already runs in this folder, as process ${process.pid}; .*$`),
  );
});

test('the lock of a killed process is replaced', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const pid = child.pid ?? 0;
  writeFileSync(path, `${pid} ${identifyProcess(pid)}`);
  const refused = resultOrError(() => acquireFolderLock(path));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  expect(refused).toContain(`as process ${pid}`);
  acquireFolderLock(path);
  expect(readFileSync(path, 'utf8')).toContain(`${process.pid} `);
});

test('a lock is replaced when its process id belongs to another process now', () => {
  writeFileSync(path, `${process.pid} another boot 12345`);
  acquireFolderLock(path);
  expect(readFileSync(path, 'utf8')).toBe(`${process.pid} ${identifyProcess(process.pid)}`);
});

test('a lock file that is not completely written is replaced', () => {
  writeFileSync(path, '');
  expect(acquireFolderLock(path)).toBeInstanceOf(Function);
});

test('a release does not remove the lock that another process has acquired in the meantime', () => {
  const release = acquireFolderLock(path);
  writeFileSync(path, '1 of another process');
  release();
  expect(existsSync(path)).toBe(true);
});
