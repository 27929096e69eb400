import { expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createStopHandler } from './stop-handler.js';

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
