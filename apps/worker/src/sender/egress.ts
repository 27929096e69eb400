import { isIP } from 'node:net';
import { type AllowList, isForbiddenAddress, isPrivateName } from '@ringback/rules';
import type { ResolvedAddress } from './dns-cache.js';

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
 * The addresses of a name that callbacks may reach; of a private name, only those on the allow list. The forbidden ones
 * are left out, so that a name with one of them still gets its callbacks. Throws when the name has no address, or only
 * forbidden ones. Connections go to exactly these addresses, so a second query cannot replace them.
 */
export function allowedAddresses(hostname: string, addresses: ResolvedAddress[], allow: AllowList): ResolvedAddress[] {
  if (addresses.length === 0) throw new NoAddressError('no address');
  const isPrivate = isPrivateName(hostname);
  const isAllowed = (address: string) => (isPrivate ? allow.has(address) : !isForbiddenAddress(address, allow));
  const allowed = addresses.filter(({ address }) => isAllowed(address));
  if (allowed.length === 0) throw new ForbiddenAddressError();
  return allowed;
}
