import { withTimeout } from '@ringback/runtime';
import type { BreakPoint } from '@ringback/testing';
import type { World } from './world.js';

/** Opens a proxy for PostgreSQL that breaks a connection at a named statement. */
export async function openPostgresProxy({ env, openProxy }: Pick<World, 'env' | 'openProxy'>) {
  const url = env.DATABASE_URL ?? '';
  const proxy = await openProxy(url);
  return {
    through: proxy.proxyUrlFor(url),
    breakAt: ({ text, ...point }: BreakPoint) =>
      withTimeout(60_000, proxy.breakAt({ ...point, text: `ringback_${text}\0` }), () => {
        throw new Error(`no client sent "${text}" within 60 s`);
      }),
  };
}
