import { isIP } from 'node:net';
import { type AllowList, isForbiddenAddress, isPrivateName } from './address.js';
import { checkUriTemplate, renderUri } from './template.js';
import { hasAtMostCharacters } from './has-at-most-characters.js';

const maxLength = 2_048;
const invalid = 'The uri field must be a valid URL.';

// The ports above 1023 that the WHATWG Fetch standard lists as bad ports. Browsers block them.
const badPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * Validates the uri of a webhook and returns the errors, an empty list if the uri may be stored (docs/reference/api.md#webhooks,
 * docs/reference/callbacks.md#addresses). Placeholders count as empty text. Host names are not resolved here: each attempt checks their
 * addresses.
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
