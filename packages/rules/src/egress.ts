import { BlockList, isIP } from 'node:net';

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
 * The addresses of a name that callbacks may reach; of a private name, only those on the allow list. The others are
 * left out, so that a name with a forbidden address still gets its callbacks.
 */
export function allowedAddresses<Address extends { address: string }>(
  hostname: string,
  addresses: readonly Address[],
  allow: AllowList,
): Address[] {
  const isPrivate = isPrivateName(hostname);
  return addresses.filter(({ address }) => (isPrivate ? allow.has(address) : !isForbiddenAddress(address, allow)));
}

/**
 * Why a url is refused before its host is resolved; null if it is not refused yet. The API already rejects such urls;
 * this check is for webhooks that were stored under other rules.
 */
export function refusalOf(url: string, allow: AllowList): 'INVALID_URL' | 'REFUSED_ADDRESS' | null {
  const parsed = parseUrl(url);
  // A user and password are in the headers, which got would replace by what the url has. The host `unix` is got's
  // syntax for a local socket.
  const isHttp = parsed?.protocol === 'https:' || parsed?.protocol === 'http:';
  if (!isHttp || parsed.username !== '' || parsed.password !== '') return 'INVALID_URL';
  return parsed.hostname === 'unix' || isForbiddenHost(parsed.hostname, allow) ? 'REFUSED_ADDRESS' : null;
}

/**
 * The parsed url, or null if it is not one. `base`: what a relative url is relative to. URL.canParse is not used: in
 * Node 20, after some 2,000 calls, it returns false for every URL with a letter such as ü.
 */
export function parseUrl(url: string, base?: string): URL | null {
  try {
    return new URL(url, base);
  } catch {
    return null;
  }
}
