import type { LookupFunction } from 'node:net';
import type { AllowList } from '@ringback/rules';
import type { ResolvedAddress, ResolveHost } from './dns-cache.js';
import { isForbiddenName, ForbiddenAddressError } from './forbidden-address.js';

class NoAddressError extends Error {
  override readonly name = 'NoAddressError';
  readonly code = 'ENOTFOUND';
}

/**
 * Creates the lookup function for connections. It fails when the name has no address or any of its addresses is
 * forbidden, and checks this for every connection. The connection uses exactly the checked addresses, so a second query
 * cannot replace them.
 */
export function checkedLookup(allow: AllowList, resolve: ResolveHost): LookupFunction {
  return (hostname, options, done) => {
    const finish = (addresses: ResolvedAddress[]) => {
      const [first] = addresses;
      if (!first) return done(new NoAddressError('no address'), '', 0);
      if (isForbiddenName(hostname, addresses, allow)) return done(new ForbiddenAddressError(), '', 0);
      if (options.all) return done(null, addresses);
      return done(null, first.address, first.family);
    };
    // An error that `done` throws must not reject this promise.
    resolve(hostname).then(
      (addresses) => process.nextTick(finish, addresses),
      (error: NodeJS.ErrnoException) => process.nextTick(done, error, '', 0),
    );
  };
}
