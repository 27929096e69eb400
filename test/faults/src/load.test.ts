import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createLoad } from './load.js';

test('a push that the scenario does not await ends with the scenario, without an unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const listener = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', listener);
  const load = createLoad({
    push: () => Promise.reject(new Error('refused')),
    webhooks: ['webhook'],
    closeSignal: AbortSignal.abort(),
  });
  void load.push(1);
  await setImmediate();
  await setImmediate();
  process.off('unhandledRejection', listener);
  expect(load.failures).toHaveLength(1);
  expect(unhandled).toEqual([]);
});
