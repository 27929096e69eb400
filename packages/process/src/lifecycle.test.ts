import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createStopHandler, isProcessAlive } from './lifecycle.js';

test('the first signal stops, a duplicate is ignored, and a signal more than a second later forces it', async () => {
  const calls: string[] = [];
  const handle = createStopHandler<string>(
    (reason) => calls.push(reason),
    () => calls.push('forced'),
  );
  const startedAt = Date.now();
  handle('SIGINT');
  for (; calls.length < 2; await sleep(10)) handle('SIGTERM');
  expect(calls).toEqual(['SIGINT', 'forced']);
  expect(Date.now() - startedAt).toBeGreaterThan(1_000);
});

test('this process is alive, and a process that has ended is not', () => {
  expect(isProcessAlive(process.pid)).toBe(true);
  expect(isProcessAlive(spawnSync('true').pid)).toBe(false);
});
