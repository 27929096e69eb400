import { redisUrl } from './servers.js';

export type TestBackend = { name: 'postgres' | 'redis'; redisUrl: string | undefined };

const all: TestBackend[] = [
  { name: 'postgres', redisUrl: undefined },
  ...(redisUrl() === undefined ? [] : [{ name: 'redis' as const, redisUrl: redisUrl() }]),
];

/**
 * The queue engines to test, for `describe.each(backends)('… on $name', …)`. Without redis-server there is only
 * PostgreSQL, and `npm test` says so. With QUICK_TESTS, which `npm test` sets, there is only the last one.
 */
export const backends = process.env.QUICK_TESTS ? all.slice(-1) : all;
