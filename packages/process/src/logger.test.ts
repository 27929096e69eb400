import { expect, test } from '@jest/globals';
import { createLogger } from './logger.js';

test('a line whose level is hidden costs nothing: its fields are not read', () => {
  let readCount = 0;
  const fields = {
    get id() {
      return ++readCount;
    },
  };
  const log = createLogger({ service: 'test', level: 'warn', format: 'json' });
  log.info('hidden', fields);
  log.debug('hidden', fields);
  expect(readCount).toBe(0);
});
