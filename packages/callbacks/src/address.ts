import { BlockList, isIP } from 'node:net';

/** Ranges that callbacks may reach although they are private. */
export type AllowList = { readonly isEmpty: boolean; has(address: string): boolean };

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Reads `EGRESS_ALLOW`: comma-separated CIDRs or addresses. Throws an Error that names what is neither. */
export function parseAllowList(text: string): AllowList {
  const list = new BlockList();
  const entries = text.split(',').map((entry) => entry.trim());
  const given = entries.filter((entry) => entry !== '');
  for (const entry of given) {
    const [address = '', length, ...rest] = entry.split('/');
    const bits = isIP(address) === 6 ? 128 : 32;
    const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : -1;
    if (isIP(address) === 0 || address.includes('%') || prefix < 0 || prefix > bits || rest.length > 0) {
      throw new Error(`has "${entry}", which is no CIDR such as 10.0.0.0/8`);
    }
    list.addSubnet(address, prefix, familyOf(address));
  }
  return {
    isEmpty: given.length === 0,
    has: (address) => isIP(address) !== 0 && list.check(address, familyOf(address)),
  };
}

// IANA's special-purpose registry, multicast, the reserved block, and Azure's platform address.
const forbidden4 = blockList('ipv4', [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
]);
// Only global unicast is let through: that ends mapped, NAT64, site-local, unique-local and all the rest at once.
const global6 = blockList('ipv6', ['2000::/3']);
const forbidden6 = blockList('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48']);

function blockList(family: 'ipv4' | 'ipv6', ranges: string[]): BlockList {
  const list = new BlockList();
  for (const [address = '', prefix] of ranges.map((range) => range.split('/'))) {
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Whether callbacks may not connect to an address (behaviour: egress). Whatever is no address is forbidden. */
export function isForbiddenAddress(address: string, allow: AllowList): boolean {
  if (allow.has(address)) return false;
  if (isIP(address) === 4) return forbidden4.check(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return true;
  return !global6.check(address, 'ipv6') || forbidden6.check(address, 'ipv6');
}

/**
 * Whether a name is one of a private network (`localhost`, a single label, `.local`, `.internal`, `.home.arpa`): it is
 * refused unless every address it resolves to is in the allow list.
 */
export function isPrivateName(hostname: string): boolean {
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  const name = hostname.replace(/\.+$/, '').toLowerCase();
  return !name.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(name);
}
