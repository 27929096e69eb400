import { redisUrl } from './servers.js';

export type TestBackend = { name: 'postgres' | 'redis'; redisUrl: string | undefined };

/**
 * The queue engines to test, for `describe.each(backends)('… on $name', …)`. Without redis-server there is only
 * PostgreSQL, and `npm test` prints a notice. With CI=true the test run fails then.
 */
export const backends: TestBackend[] = [
  { name: 'postgres', redisUrl: undefined },
  ...(redisUrl() === undefined ? [] : [{ name: 'redis' as const, redisUrl: redisUrl() }]),
];
