import { isIP } from 'node:net';
import { type AllowList, isForbiddenAddress, isPrivateName } from '@ringback/rules';

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
export function isForbiddenName(
  hostname: string,
  addresses: readonly { address: string }[],
  allow: AllowList,
): boolean {
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
