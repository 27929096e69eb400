import { withTimeout } from '@ringback/process';
import type { BreakPoint } from '@ringback/testing';
import type { Testbed } from './testbed.js';

/** Opens a proxy for PostgreSQL that breaks a connection at a named statement. */
export async function startPostgresProxy({ env, startProxy }: Pick<Testbed, 'env' | 'startProxy'>) {
  const url = env.DATABASE_URL ?? '';
  const proxy = await startProxy(url);
  return {
    proxyUrl: proxy.proxyUrlFor(url),
    breakAt: ({ text, ...point }: BreakPoint) =>
      withTimeout(60_000, proxy.breakAt({ ...point, text: `ringback_${text}\0` }), () => {
        throw new Error(`no client sent "${text}" within 60 s`);
      }),
  };
}
