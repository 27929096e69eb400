import { isIP } from 'node:net';
import { type AllowList, isForbiddenAddress, isPrivateName } from './address.js';
import { checkUriTemplate, renderUri } from './template.js';

const longest = 2_048;
const invalid = 'The uri field must be a valid URL.';

// Ports that browsers refuse (WHATWG fetch), of those above 1023.
const badPorts = new Set([
  ...[
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  ],
]);

/**
 * What is wrong with the uri of a webhook, a text each; nothing when it may be stored (behaviour: validation, egress).
 * Placeholders are judged as if they were empty, what only looks like one as it stands. No name is resolved: what it
 * resolves to is looked at when it is called.
 */
export function checkCallbackUri(uri: string, allow: AllowList): string[] {
  if (uri.length > longest) return [`The uri field must not be greater than ${longest} characters.`];
  const misplaced = checkUriTemplate(uri);
  if (misplaced.length > 0) return misplaced;
  const bare = renderUri(uri, {}).value;
  // What a lenient parser would drop or turn around: white space, control characters, backslashes, lone surrogates.
  const url = /^https?:\/\/[^/]/i.test(bare) && !/[\s\\\p{Cc}\p{Cs}]/u.test(bare) ? parseUrl(bare) : null;
  if (url === null) return [invalid];
  const { hostname, port, username, password } = url;
  if (username !== '' || password !== '' || /^[^/?#]*@/.test(bare.replace(/^https?:\/\//i, ''))) {
    return ['The uri field must not have a user name or password.'];
  }
  if (bare.includes('#')) return ['The uri field must not have a fragment.'];
  if (hostname.replace(/\.$/, '').split('.').includes('')) return [invalid];
  if (!isUsualPort(port)) return ['The uri field has a port that is not allowed.'];
  return isRefusedHost(hostname, allow) ? ['The uri field has an address that is not allowed.'] : [];
}

// Not URL.canParse: after some 2,000 calls Node 20's says no to every url with a letter such as ü.
function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

function isUsualPort(port: string): boolean {
  const number = Number(port);
  return port === '' || number === 80 || number === 443 || (number >= 1024 && !badPorts.has(number));
}

function isRefusedHost(hostname: string, allow: AllowList): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return isForbiddenAddress(literal, allow);
  // What got's way of naming a Unix socket, http://unix:<path>:<path>, parses to.
  if (hostname === 'unix') return true;
  if (!isPrivateName(hostname)) return false;
  // A name of this machine is loopback by definition; for the others only DNS can tell, if anything is allowed at all.
  const isLoopback = /(^|\.)localhost\.?$/i.test(hostname);
  return isLoopback ? !allow.has('127.0.0.1') && !allow.has('::1') : allow.isEmpty;
}
