import { isIP } from 'node:net';
import { type AllowList, isForbiddenAddress, isPrivateName } from '@ringback/callbacks';

/** The address that a callback would have connected to is not one it may reach. Nothing was sent. */
export class RefusedAddressError extends Error {
  override readonly name = 'RefusedAddressError';
  readonly code = 'REFUSED_ADDRESS';
  constructor() {
    super('refused');
  }
}

/** Whether the host of a uri may not be connected to: a literal is judged here, a name when it has been resolved. */
export function isRefusedHost(hostname: string, allow: AllowList): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return isForbiddenAddress(literal, allow);
  // Where nothing is allowed, no answer of the DNS could make a private name one that may be called.
  return allow.isEmpty && isPrivateName(hostname);
}

/** Whether a host may not be named to a proxy, which resolves it out of our sight: no private name may. */
export function isRefusedTunnelHost(hostname: string, allow: AllowList): boolean {
  return isPrivateName(hostname) || isRefusedHost(hostname, allow);
}

/** Whether one of the addresses of a name may not be connected to; a private name needs all of them to be allowed. */
export function isRefusedAnswer(
  hostname: string,
  addresses: readonly { address: string }[],
  allow: AllowList,
): boolean {
  const isPrivate = isPrivateName(hostname);
  return addresses.some(({ address }) => (isPrivate ? !allow.has(address) : isForbiddenAddress(address, allow)));
}

/**
 * Why a url may not be called at all, whatever its host resolves to; null when nothing speaks against it. Creation says
 * no to each of these already: this holds for what was stored under other rules.
 */
export function refusalOf(url: string, allow: AllowList): 'INVALID_URL' | 'REFUSED_ADDRESS' | null {
  const parsed = parseUrl(url);
  // Userinfo would take the place of the Bearer header; `unix` is the client's way of naming a socket of this machine.
  const isHttp = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  if (!isHttp || parsed.username !== '' || parsed.password !== '') return 'INVALID_URL';
  return parsed.hostname === 'unix' || isRefusedHost(parsed.hostname, allow) ? 'REFUSED_ADDRESS' : null;
}

/** A url, or null. URL.canParse would not do: once warm, Node 20's says no to every url with a letter such as ü. */
function parseUrl(url: string): URL | null {
  try {
    return new URL(url);
  } catch {
    return null;
  }
}
