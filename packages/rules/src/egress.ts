import { BlockList, isIP } from 'node:net';

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
