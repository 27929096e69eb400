import { isIP, type LookupFunction } from 'node:net';
import { type AllowList, isForbiddenAddress, isPrivateName } from '@ringback/rules';
import type { ResolvedAddress, ResolveHost } from './dns-cache.js';

/** The receiver's address is forbidden. Nothing was sent. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
  readonly code = 'REFUSED_ADDRESS';
  constructor() {
    super('refused');
  }
}

/**
 * Whether the host of a uri is a forbidden address, or a private name while the allow list is empty. All other names
 * are checked when they have been resolved.
 */
export function isForbiddenHost(hostname: string, allow: AllowList): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return isForbiddenAddress(literal, allow);
  // With an empty allow list, no address of a private name can be allowed.
  return allow.isEmpty && isPrivateName(hostname);
}

/** Whether a host is forbidden as the target of a proxy. The proxy resolves names, so private names are forbidden. */
export function isForbiddenTunnelHost(hostname: string, allow: AllowList): boolean {
  return isPrivateName(hostname) || isForbiddenHost(hostname, allow);
}

/** Whether a name is forbidden because of its addresses. All addresses of a private name must be on the allow list. */
function isForbiddenName(hostname: string, addresses: readonly { address: string }[], allow: AllowList): boolean {
  const isPrivate = isPrivateName(hostname);
  return addresses.some(({ address }) => (isPrivate ? !allow.has(address) : isForbiddenAddress(address, allow)));
}

/**
 * Why a url is refused before its host is resolved; null if it is not refused yet. The API already rejects such urls;
 * this check is for webhooks that were stored under other rules.
 */
export function refusalOf(url: string, allow: AllowList): 'INVALID_URL' | 'REFUSED_ADDRESS' | null {
  const parsed = parseUrl(url);
  // Userinfo would replace the Bearer header. The host `unix` is got's syntax for a local socket.
  const isHttp = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  if (!isHttp || parsed.username !== '' || parsed.password !== '') return 'INVALID_URL';
  return parsed.hostname === 'unix' || isForbiddenHost(parsed.hostname, allow) ? 'REFUSED_ADDRESS' : null;
}

/**
 * The parsed url, or null. Node 20's URL.canParse, when optimised, returns wrong results for letters such as ü.
 */
function parseUrl(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}

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
