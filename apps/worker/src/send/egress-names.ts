import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { types } from 'node:util';
import type { AllowList } from '@ringback/callbacks';
import { setBounded, withTimeout } from '@ringback/runtime';
import { isRefusedAnswer, RefusedAddressError } from './egress-refusal.js';

export type ResolvedAddress = { address: string; family: number };

/** Resolves all addresses of a name. Rejects when there is none. */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

/** Resolves names like other programs of this machine, with its hosts file. */
export const resolveName: Resolve = (hostname) => lookup(hostname, { all: true });

export type CacheSettings = {
  ttlMs: number;
  /** How long a failure is cached. */
  failureTtlMs: number;
  /** How long a query may take before the last addresses replace it. */
  staleAfterMs: number;
  /** The maximum age of addresses that are used so. */
  maxStaleMs: number;
  /** Maximum cached names; the oldest are dropped. */
  maxNames: number;
  now: () => number;
};

/**
 * Caches resolved names. Concurrent calls to a name share one query. When a query takes long, or fails because no name
 * server answers, the last addresses are used for up to `maxStaleMs`: an unavailable name server does not stop calls to
 * receivers whose addresses are known.
 */
export function cacheNames(resolve: Resolve, settings: CacheSettings): Resolve {
  const { ttlMs, failureTtlMs, staleAfterMs, maxStaleMs, maxNames, now } = settings;
  type Addresses = ResolvedAddress[];
  type Entry = { answer: Promise<Addresses>; endsAt: number; good?: { addresses: Addresses; at: number } };
  const entries = new Map<string, Entry>();
  return (hostname) => {
    const known = entries.get(hostname);
    if (known && now() < known.endsAt) return known.answer;
    const asked = resolve(hostname);
    const last = known?.good && now() - known.good.at < maxStaleMs ? known.good : undefined;
    const query = last ? asked.catch((error: unknown) => lastIfUnanswered(error, last.addresses)) : asked;
    const answer = last ? withTimeout(staleAfterMs, query, () => last.addresses) : query;
    // A query without a result is shared for no longer than a result.
    const entry: Entry = { answer, endsAt: now() + ttlMs, ...(last ? { good: last } : {}) };
    setBounded(entries, hostname, entry, maxNames);
    asked.then(
      (addresses) => {
        entry.good = { addresses, at: now() };
        entry.answer = query;
        entry.endsAt = now() + ttlMs;
      },
      () => {
        entry.answer = query;
        entry.endsAt = now() + failureTtlMs;
      },
    );
    return answer;
  };
}

/** Returns the last addresses when no name server answered; throws any other error. */
function lastIfUnanswered(error: unknown, last: ResolvedAddress[]): ResolvedAddress[] {
  if (types.isNativeError(error) && 'code' in error && error.code === 'EAI_AGAIN') return last;
  throw error;
}

class NoAddressError extends Error {
  override readonly name = 'NoAddressError';
  readonly code = 'ENOTFOUND';
}

/**
 * The lookup of a connection. It fails when any address of the name is forbidden, which is checked for every connection.
 * The connection uses exactly these addresses, so a second query cannot replace them.
 */
export function vettedLookup(allow: AllowList, resolve: Resolve): LookupFunction {
  return (hostname, options, done) => {
    const answer = (addresses: ResolvedAddress[]) => {
      const [first] = addresses;
      if (!first) return done(new NoAddressError('no address'), '', 0);
      if (isRefusedAnswer(hostname, addresses, allow)) return done(new RefusedAddressError(), '', 0);
      if (options.all) return done(null, addresses);
      return done(null, first.address, first.family);
    };
    // An error that `done` throws must not reject this promise.
    resolve(hostname).then(
      (addresses) => process.nextTick(answer, addresses),
      (error: NodeJS.ErrnoException) => process.nextTick(done, error, '', 0),
    );
  };
}
