import { lookup } from 'node:dns/promises';
import { types } from 'node:util';
import { setBounded, withTimeout } from '@ringback/process';

export type ResolvedAddress = { address: string; family: number };

/** Resolves with all addresses of a name. Rejects when the query fails. */
export type ResolveHost = (hostname: string) => Promise<ResolvedAddress[]>;

// RFC 8305, Resolution Delay.
const resolutionDelayMs = 50;

/**
 * Resolves names as other programs on this machine do, including its hosts file. Such a lookup waits for the answers to
 * both questions, for IPv4 and for IPv6 addresses, and some name servers drop the second. So after 50 ms it also asks
 * for IPv4 addresses alone, and the first answer counts: the lookup fails only if both do.
 *
 * They are not asked apart from the start: a name that the hosts file gives an IPv4 address would then get its IPv6
 * addresses from DNS, and a name without IPv6 addresses would be looked up in all search domains.
 */
export const resolveName: ResolveHost = async (hostname) => {
  const startedAtMonotonicMs = performance.now();
  const both = lookup(hostname, { all: true });
  try {
    const inTime = await withTimeout(resolutionDelayMs, both, () => null);
    return inTime ?? (await Promise.any([both, lookup(hostname, { all: true, family: 4 })]).catch(() => both));
  } catch (error) {
    const isUnanswered = isTryAgain(error) && performance.now() - startedAtMonotonicMs >= resolverTimeoutMs;
    throw isUnanswered ? Object.assign(new Error('no name server answered'), { code: 'DNS_TIMEOUT' }) : error;
  }
};

// The system's resolver says EAI_AGAIN when a name server reports a failure, and also when none answered in time, which
// takes at least a second (`timeout` in resolv.conf).
const resolverTimeoutMs = 900;
const isTryAgain = (error: unknown) =>
  types.isNativeError(error) && 'code' in error && (error.code === 'EAI_AGAIN' || error.code === 'DNS_TIMEOUT');

export type CacheSettings = {
  /** How long addresses are cached. */
  ttlMs: number;
  /** How long a failure is cached. */
  failureTtlMs: number;
  /**
   * When a query takes longer than this, the last known addresses are used instead. Without last known addresses, the
   * lookup waits for the query.
   */
  useLastKnownAfterMs: number;
  /** The maximum age, at the start of a query, of last known addresses that may replace its result. */
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
  type Entry = {
    result: Promise<Addresses>;
    endsAtMonotonicMs: number;
    lastKnown?: { addresses: Addresses; atMonotonicMs: number };
  };
  const entries = new Map<string, Entry>();
  return (hostname) => {
    const cached = entries.get(hostname);
    if (cached && now() < cached.endsAtMonotonicMs) return cached.result;
    const query = resolve(hostname);
    const lastKnown =
      cached?.lastKnown && now() - cached.lastKnown.atMonotonicMs < maxStaleMs ? cached.lastKnown : undefined;
    const finalResult = lastKnown
      ? query.catch((error: unknown) => lastKnownIfNoResponse(error, lastKnown.addresses))
      : query;
    const result = lastKnown ? withTimeout(useLastKnownAfterMs, finalResult, () => lastKnown.addresses) : finalResult;
    // A query that has not ended is shared for no longer than a result.
    const entry: Entry = { result, endsAtMonotonicMs: now() + ttlMs, ...(lastKnown ? { lastKnown } : {}) };
    setBounded(entries, hostname, entry, maxNames);
    query.then(
      (addresses) => {
        entry.lastKnown = { addresses, atMonotonicMs: now() };
        entry.result = finalResult;
        entry.endsAtMonotonicMs = now() + ttlMs;
      },
      () => {
        entry.result = finalResult;
        entry.endsAtMonotonicMs = now() + failureTtlMs;
      },
    );
    return result;
  };
}

/** Returns the last known addresses when no name server responded; throws any other error. */
function lastKnownIfNoResponse(error: unknown, lastKnown: ResolvedAddress[]): ResolvedAddress[] {
  if (isTryAgain(error)) return lastKnown;
  throw error;
}
