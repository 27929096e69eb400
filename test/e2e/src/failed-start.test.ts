import { expect, test } from '@jest/globals';
import { run } from './processes.js';

test.each([
  ['api', { DATABASE_URL: '' }, /^ringback: DATABASE_URL is required\n$/],
  ['api', { DATABASE_URL: 'mysql://x/y' }, /^ringback: DATABASE_URL must look like [^\n]+\n$/],
  ['api', { PORT: 'eighty' }, /^ringback: PORT must be a whole number[^\n]+\n$/],
  ['api', { DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/c' }, /^ringback: DATABASE_URL: cannot be reached[^\n]+\n$/],
  ['api', { EGRESS_ALLOWED_CIDRS: '10.0.0.0/99' }, /^ringback: EGRESS_ALLOWED_CIDRS has "10.0.0.0\/99"[^\n]+\n$/],
  ['api', { EGRESS_ALLOW: '10.0.0.0/99' }, /^ringback: EGRESS_ALLOW has "10.0.0.0\/99"[^\n]+\n$/],
  ['worker', { REDIS_URL: 'redis://127.0.0.1:1' }, /^ringback: REDIS_URL: cannot be reached[^\n]+\n$/],
  ['worker', { REDIS_URL: 'redis+sentinel://127.0.0.1:1/x' }, /^ringback: REDIS_URL: cannot be reached[^\n]+\n$/],
  ['worker', { WORKER_ROLES: 'deliver,juggle' }, /^ringback: WORKER_ROLES has no role "juggle"[^\n]+\n$/],
  ['worker', { RETRY_TIME_SCALE: '-1' }, /^ringback: RETRY_TIME_SCALE must be[^\n]+\n$/],
])('a start that cannot succeed prints one line with the reason: %s with %j', async (app, settings, line) => {
  const database = process.env.TEST_POSTGRES_URL;
  const failing = run(`apps/${app}/dist/main.js`, { env: { DATABASE_URL: database, PORT: '0', ...settings } });
  expect(await failing.ended).toBe(1);
  expect(failing.output()).toMatch(line);
});
