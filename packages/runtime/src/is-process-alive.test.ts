import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { isProcessAlive } from './is-process-alive.js';

test('this process is alive, and a process that has ended is not', () => {
  expect(isProcessAlive(process.pid)).toBe(true);
  expect(isProcessAlive(spawnSync('true').pid)).toBe(false);
});
