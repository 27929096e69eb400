import { lookup } from 'node:dns/promises';
import { types } from 'node:util';
import { setBounded, withTimeout } from '@ringback/runtime';

export type ResolvedAddress = { address: string; family: number };

/** Resolves all addresses of a name. Rejects when there is none. */
export type ResolveHost = (hostname: string) => Promise<ResolvedAddress[]>;

/** Resolves names as other programs on this machine do, including its hosts file. */
export const resolveName: ResolveHost = (hostname) => lookup(hostname, { all: true });

export type CacheSettings = {
  ttlMs: number;
  /** How long a failure is cached. */
  failureTtlMs: number;
  /**
   * When a query takes longer than this, the last known addresses are used instead. Without any, it may take longer.
   */
  useLastKnownAfterMs: number;
  /** The maximum age of addresses that replace a query's result. */
  maxStaleMs: number;
  /** Maximum cached names; the oldest are dropped. */
  maxNames: number;
  now: () => number;
};

/**
 * Caches resolved names. Concurrent lookups of a name share one query. When a query takes long, or fails because no
 * name server responds, the last known addresses are used for up to `maxStaleMs`. So an unavailable name server does
 * not stop requests to receivers whose addresses are known.
 */
export function cacheLookups(resolve: ResolveHost, settings: CacheSettings): ResolveHost {
  const { ttlMs, failureTtlMs, useLastKnownAfterMs, maxStaleMs, maxNames, now } = settings;
  type Addresses = ResolvedAddress[];
  type Entry = { result: Promise<Addresses>; endsAt: number; lastKnown?: { addresses: Addresses; at: number } };
  const entries = new Map<string, Entry>();
  return (hostname) => {
    const cached = entries.get(hostname);
    if (cached && now() < cached.endsAt) return cached.result;
    const query = resolve(hostname);
    const last = cached?.lastKnown && now() - cached.lastKnown.at < maxStaleMs ? cached.lastKnown : undefined;
    const finalResult = last ? query.catch((error: unknown) => lastIfNoResponse(error, last.addresses)) : query;
    const result = last ? withTimeout(useLastKnownAfterMs, finalResult, () => last.addresses) : finalResult;
    // A query that has not ended is shared for no longer than a result.
    const entry: Entry = { result, endsAt: now() + ttlMs, ...(last ? { lastKnown: last } : {}) };
    setBounded(entries, hostname, entry, maxNames);
    query.then(
      (addresses) => {
        entry.lastKnown = { addresses, at: now() };
        entry.result = finalResult;
        entry.endsAt = now() + ttlMs;
      },
      () => {
        entry.result = finalResult;
        entry.endsAt = now() + failureTtlMs;
      },
    );
    return result;
  };
}

/** Returns the last known addresses when no name server responded; throws any other error. */
function lastIfNoResponse(error: unknown, last: ResolvedAddress[]): ResolvedAddress[] {
  if (types.isNativeError(error) && 'code' in error && error.code === 'EAI_AGAIN') return last;
  throw error;
}
