import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { types } from 'node:util';
import type { AllowList } from '@ringback/callbacks';
import { setBounded, withTimeout } from '@ringback/runtime';
import { isRefusedAnswer, RefusedAddressError } from './egress-refusal.js';

export type ResolvedAddress = { address: string; family: number };

/** Asks for all addresses of a name. Rejects when there are none. */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

/** Asks as every other program of this machine does, its hosts file included. */
export const resolveName: Resolve = (hostname) => lookup(hostname, { all: true });

export type CacheSettings = {
  ttlMs: number;
  /** How long a failure is remembered. */
  failureTtlMs: number;
  /** For how long a new answer is waited for where there is an old one, and for how long that one is good for it. */
  patienceMs: number;
  lastGoodMs: number;
  /** How many names are remembered; the oldest give way. */
  most: number;
  now: () => number;
};

/**
 * Remembers answers for a short time. Calls that need the same name at the same time share one query. Where a query
 * takes long, or ends because no server answers, the last answer goes on to be used for a while: a name server that is
 * away, or queries for other names that hang, are not the trouble of a receiver whose address is known.
 */
export function cacheNames(resolve: Resolve, settings: CacheSettings): Resolve {
  const { ttlMs, failureTtlMs, patienceMs, lastGoodMs, most, now } = settings;
  type Addresses = ResolvedAddress[];
  type Entry = { answer: Promise<Addresses>; endsAt: number; good?: { addresses: Addresses; at: number } };
  const entries = new Map<string, Entry>();
  return (hostname) => {
    const known = entries.get(hostname);
    if (known && now() < known.endsAt) return known.answer;
    const asked = resolve(hostname);
    const last = known?.good && now() - known.good.at < lastGoodMs ? known.good : undefined;
    const query = last ? asked.catch((error: unknown) => lastWhenSilent(error, last.addresses)) : asked;
    const answer = last ? withTimeout(patienceMs, query, () => last.addresses) : query;
    // A query that hangs is shared no longer than an answer would be.
    const entry: Entry = { answer, endsAt: now() + ttlMs, ...(last ? { good: last } : {}) };
    setBounded(entries, hostname, entry, most);
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

/** The last answer, where no name server gave another one; throws what they said otherwise. */
function lastWhenSilent(error: unknown, last: ResolvedAddress[]): ResolvedAddress[] {
  if (types.isNativeError(error) && 'code' in error && error.code === 'EAI_AGAIN') return last;
  throw error;
}

class NoAddressError extends Error {
  override readonly name = 'NoAddressError';
  readonly code = 'ENOTFOUND';
}

/**
 * The lookup of a connection: all addresses of the name, of which not one may be forbidden, judged at every use. The
 * connection goes to just these, so there is no second query that could answer otherwise.
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
    // What the connection does in `done` is not for the promise to catch.
    resolve(hostname).then(
      (addresses) => process.nextTick(answer, addresses),
      (error: NodeJS.ErrnoException) => process.nextTick(done, error, '', 0),
    );
  };
}
