import { BlockList, isIP } from 'node:net';
import { hasAtMostCharacters } from './json.js';
import { checkUriTemplate, renderUri } from './template.js';

// Which addresses callbacks may reach: docs/reference/callbacks.md#addresses.

/** Ranges that callbacks may reach although they are private. `has` takes an IPv4 or IPv6 address as text. */
export type AllowList = { readonly isEmpty: boolean; has(address: string): boolean };

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * Parses `EGRESS_ALLOWED_CIDRS`, a comma-separated list of CIDR ranges and addresses; an empty text allows none. Throws
 * an Error that names the invalid entry. A prefix of 0 is accepted only as `0.0.0.0/0` and `::/0`.
 */
export function parseAllowList(text: string): AllowList {
  const list = new BlockList();
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  for (const entry of entries) {
    const [address = '', length, ...rest] = entry.split('/');
    const maxPrefix = isIP(address) === 6 ? 128 : 32;
    const prefix = parsePrefix(length ?? String(maxPrefix));
    if (isIP(address) === 0 || address.includes('%') || prefix < 0 || prefix > maxPrefix || rest.length > 0) {
      throw new Error(`has "${entry}", which is not a CIDR range such as 10.0.0.0/8`);
    }
    // A range of everything by a slip in the length, such as 10.0.0.0/0, would open all private networks.
    if (prefix === 0 && /[1-9a-f]/i.test(address)) {
      throw new Error(`has "${entry}", which is every address; check the length after the slash`);
    }
    list.addSubnet(address, prefix, familyOf(address));
  }
  return {
    isEmpty: entries.length === 0,
    has: (address) => isIP(address) !== 0 && list.check(address, familyOf(address)),
  };
}

/** Returns -1 for text that is not a number. */
const parsePrefix = (text: string) => (/^\d{1,3}$/.test(text) ? Number(text) : -1);

// IANA's special-purpose registry, multicast, the reserved block, and Azure's platform address.
const forbiddenIpv4 = createBlockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
]);
// Only global unicast is allowed, which excludes IPv4-mapped, NAT64, site-local and unique-local addresses.
const globalUnicastIpv6 = createBlockList('ipv6', ['2000::/3']);
const forbiddenIpv6 = createBlockList('ipv6', [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '2620:4f:8000::/48',
]);

function createBlockList(family: 'ipv4' | 'ipv6', ranges: string[]): BlockList {
  const list = new BlockList();
  for (const [address = '', prefix] of ranges.map((range) => range.split('/'))) {
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/**
 * Whether callbacks must not connect to an address: a private, reserved or special one that is not in the allow list.
 * True for text that is not an IP address.
 */
export function isForbiddenAddress(address: string, allowList: AllowList): boolean {
  if (allowList.has(address)) return false;
  if (isIP(address) === 4) return forbiddenIpv4.check(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return true;
  return !globalUnicastIpv6.check(address, 'ipv6') || forbiddenIpv6.check(address, 'ipv6');
}

/**
 * Whether a host name belongs to a private network: a single label such as `localhost`, or a name that ends with
 * `.localhost`, `.local`, `.internal` or `.home.arpa`. Such a name is forbidden unless every address that it resolves
 * to is in the allow list.
 */
export function isPrivateName(hostname: string): boolean {
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  const name = hostname.replace(/\.+$/, '').toLowerCase();
  return !name.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(name);
}

const maxLength = 2_048;
const invalid = 'The uri field must be a valid URL.';

// The ports above 1023 that the WHATWG Fetch standard lists as bad ports. Browsers block them.
const badPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * Validates the uri of a webhook (docs/reference/api.md#webhooks). Returns the messages of its errors, of which there
 * is at most one; an empty list if the uri may be stored. Placeholders count as empty text. Host names are not resolved
 * here: each attempt checks their addresses.
 */
export function checkCallbackUri(uri: string, allowList: AllowList): string[] {
  if (!hasAtMostCharacters(uri, maxLength)) return [`The uri field must not be greater than ${maxLength} characters.`];
  const templateErrors = checkUriTemplate(uri);
  if (templateErrors.length > 0) return templateErrors;
  const rendered = renderUri(uri, {}).value;
  // The URL parser would silently drop or replace white space, control characters, backslashes and lone surrogates.
  const url = /^https?:\/\/[^/]/i.test(rendered) && !/[\s\\\p{Cc}\p{Cs}]/u.test(rendered) ? parseUrl(rendered) : null;
  if (url === null) return [invalid];
  const { hostname, port, username, password } = url;
  if (username !== '' || password !== '' || /^[^/?#]*@/.test(rendered.replace(/^https?:\/\//i, ''))) {
    return ['The uri field must not have a user name or password.'];
  }
  if (rendered.includes('#')) return ['The uri field must not have a fragment.'];
  if (hostname.replace(/\.$/, '').split('.').includes('')) return [invalid];
  if (!isAllowedPort(port)) return ['The uri field has a port that is not allowed.'];
  return isHostForbiddenAtStoring(hostname, allowList) ? ['The uri field has an address that is not allowed.'] : [];
}

// URL.canParse is not used: in Node 20, after some 2,000 calls, it returns false for every URL with a letter such as ü.
function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function isAllowedPort(port: string): boolean {
  const number = Number(port);
  return port === '' || number === 80 || number === 443 || (number >= 1024 && !badPorts.has(number));
}

function isHostForbiddenAtStoring(hostname: string, allowList: AllowList): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return isForbiddenAddress(literal, allowList);
  // got calls a Unix socket for http://unix:<path>:<path>, whose parsed host name is `unix`.
  if (hostname === 'unix') return true;
  if (!isPrivateName(hostname)) return false;
  // localhost is always loopback. Other private names are resolved at each attempt, and need an entry in the allow
  // list.
  const isLoopback = /(^|\.)localhost\.?$/i.test(hostname);
  return isLoopback ? !allowList.has('127.0.0.1') && !allowList.has('::1') : allowList.isEmpty;
}
