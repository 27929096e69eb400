import { BlockList, isIP } from 'node:net';
import { hasAtMostCharacters } from './json.js';
import { checkUriTemplate, renderUri } from './template.js';

// Which addresses callbacks may reach: docs/reference/callbacks.md#addresses.

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * Ranges that callbacks may reach although they are private. An IPv6 address with a prefix of NAT64 leads to the IPv4
 * address inside it, so that one decides: a range never opens an address whose inside is refused.
 */
export class AllowList {
  constructor(
    /** Whether no range is allowed. */
    readonly isEmpty: boolean,
    readonly ranges: Ranges,
    readonly nat64Prefixes: readonly Nat64Prefix[] = [wellKnownNat64],
  ) {}

  /** Whether a range has the address, which is an IPv4 or IPv6 address as text. */
  has(address: string): boolean {
    const reached = this.reachedAddress(address);
    const family = familyOf(reached);
    return isIP(reached) !== 0 && this.ranges[family].check(reached, family);
  }

  /** The IPv4 address to which a NAT64 gateway translates an IPv6 address; any other address itself. */
  reachedAddress(address: string): string {
    if (isIP(address) !== 6 || address.includes('%')) return address;
    const bytes = bytesOfIpv6(address);
    const prefix = this.nat64Prefixes.find((known) => known.bytes.every((byte, index) => byte === bytes[index]));
    if (!prefix) return address;
    // RFC 6052: the IPv4 address follows the prefix, and leaves out byte 8.
    const rest = bytes.filter((_byte, index) => index !== 8 || prefix.bytes.length > 8);
    return rest.slice(prefix.bytes.length, prefix.bytes.length + 4).join('.');
  }

  /** The same ranges in a network that has these prefixes of NAT64 too. */
  withNat64Prefixes(prefixes: readonly Nat64Prefix[]): AllowList {
    return new AllowList(this.isEmpty, this.ranges, [...this.nat64Prefixes, ...prefixes]);
  }
}

// A list of its own for each family: to a BlockList, `::/0` has all IPv4 addresses too.
type Ranges = { ipv4: BlockList; ipv6: BlockList };

/** A prefix with which a network translates IPv4 addresses into IPv6 addresses (NAT64). */
export type Nat64Prefix = { bytes: number[] };

const wellKnownNat64: Nat64Prefix = { bytes: bytesOfIpv6('64:ff9b::').slice(0, 12) };

/** The 16 bytes of an IPv6 address, which has no zone. */
function bytesOfIpv6(address: string): number[] {
  const hex = address.replace(/[\d.]+$/, (tail) => (isIP(tail) === 4 ? hexOfIpv4(tail) : tail));
  const [left = [], right = []] = hex.split('::').map((side) => side.split(':').filter((group) => group !== ''));
  const groups = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return groups.map((group) => parseInt(group, 16)).flatMap((group) => [group >> 8, group & 255]);
}

function hexOfIpv4(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

const entriesOf = (text: string) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

// RFC 6052 knows no other lengths.
const nat64Lengths = [32, 40, 48, 56, 64, 96];

/**
 * Parses `NAT64_PREFIXES`, a comma-separated list of IPv6 prefixes. Throws an Error that names the invalid entry.
 */
export function parseNat64Prefixes(text: string): Nat64Prefix[] {
  return entriesOf(text).map((entry) => {
    const [address = '', length = '', ...rest] = entry.split('/');
    const isPrefix = isIP(address) === 6 && !address.includes('%') && rest.length === 0;
    if (!isPrefix || !nat64Lengths.includes(parsePrefix(length))) {
      throw new Error(
        `has "${entry}", which is not a NAT64 prefix such as 2001:db8:64::/96; lengths are ${nat64Lengths.join(', ')}`,
      );
    }
    const bytes = bytesOfIpv6(address);
    const byteCount = Number(length) / 8;
    if (bytes.slice(byteCount).some((byte) => byte !== 0)) {
      throw new Error(`has "${entry}", whose address is longer than its length`);
    }
    return { bytes: bytes.slice(0, byteCount) };
  });
}

/**
 * Parses `EGRESS_ALLOWED_CIDRS`, a comma-separated list of CIDR ranges and addresses; an empty text allows none. Throws
 * an Error that names the invalid entry. A prefix of 0 is accepted only as `0.0.0.0/0` and `::/0`.
 */
export function parseAllowList(text: string): AllowList {
  const ranges = { ipv4: new BlockList(), ipv6: new BlockList() };
  const entries = entriesOf(text);
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
    ranges[familyOf(address)].addSubnet(address, prefix, familyOf(address));
  }
  return new AllowList(entries.length === 0, ranges);
}

/** Returns -1 for text that is not a number. */
function parsePrefix(text: string): number {
  return /^\d{1,3}$/.test(text) ? Number(text) : -1;
}

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
// Only global unicast is allowed, which excludes IPv4-mapped, site-local and unique-local addresses.
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
 * Whether callbacks must not connect to an address: a private, reserved or special one that is not in the allow list,
 * or one that NAT64 translates to such an address. True for text that is not an IP address.
 */
export function isForbiddenAddress(address: string, allowList: AllowList): boolean {
  const reached = allowList.reachedAddress(address);
  if (allowList.has(reached)) return false;
  if (isIP(reached) === 4) return forbiddenIpv4.check(reached, 'ipv4');
  if (isIP(reached) !== 6 || reached.includes('%')) return true;
  return !globalUnicastIpv6.check(reached, 'ipv6') || forbiddenIpv6.check(reached, 'ipv6');
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
