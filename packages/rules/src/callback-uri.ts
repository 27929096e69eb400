import { type AllowList, isForbiddenHost, parseUrl } from './egress.js';
import { hasAtMostCharacters, type JsonObject } from './json.js';
import {
  countPlaceholders,
  finishRendering,
  hasPlaceholders,
  maxPlaceholders,
  type Rendered,
  type Rendering,
  replacePlaceholders,
  startRendering,
  withPlaceholdersAs,
} from './template.js';

// The uri of a webhook: docs/reference/api.md#webhooks and docs/reference/callbacks.md#in-the-uri.

/**
 * The parts of a uri, which joined are the uri again. Placeholders are whole: what stands in their braces ends no part.
 */
type UriParts = { origin: string; path: string; query: string; fragment: string };

// Stands for each character of a placeholder, so that positions stay the same. No valid uri has it.
const inPlaceholder = '\0';
const flatten = (uri: string) => withPlaceholdersAs(uri, inPlaceholder);

function splitUri(uri: string): UriParts {
  const parts = /^((?:https?:\/\/)?[^/?#]*)([^?#]*)(\?[^#]*)?(#[^]*)?$/i.exec(flatten(uri));
  const [, origin = '', path = '', query = ''] = parts ?? [];
  const [pathStart, queryStart] = [origin.length, origin.length + path.length];
  const fragmentStart = queryStart + query.length;
  return {
    origin: uri.slice(0, pathStart),
    path: uri.slice(pathStart, queryStart),
    query: uri.slice(queryStart, fragmentStart),
    fragment: uri.slice(fragmentStart),
  };
}

const mask = '********';

/** The uri as it is stored and shown, and its `user:password` as it stands in the uri; null without one. */
export type CallbackAddress = { uri: string; userinfo: string | null };

/** Separates the user and password of a uri. In their place, the uri then has `********`. */
export function splitUserinfo(uri: string): CallbackAddress {
  const [, scheme, userinfo] = /^(https?:\/\/)([^/?#]*)@/i.exec(uri) ?? [];
  if (scheme === undefined || userinfo === undefined) return { uri, userinfo: null };
  return { uri: `${scheme}${mask}${uri.slice(scheme.length + userinfo.length)}`, userinfo };
}

/** A uri or url without the `********` that stands for its user and password. */
export const withoutMask = (uri: string): string => uri.replace(/^(https?:\/\/)\*{8}@/i, '$1');

/** `user:password` as an `Authorization` header carries it: without percent-encoding. */
export function decodeUserinfo(userinfo: string): Buffer {
  const bytes = Buffer.from(userinfo.includes(':') ? userinfo : `${userinfo}:`).toString('latin1');
  const decoded = bytes.replace(/%([\da-f]{2})/gi, (_match, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(decoded, 'latin1');
}

/**
 * The address that a given uri means for a webhook that has `stored`; null for a new webhook. Who reads a uri and sends
 * it back sends `********`, which stands for the stored user and password, but only for the same scheme, host and port,
 * so that nobody can have them sent elsewhere; `user:********` only for the same user. Null if it stands for nothing.
 */
export function resolveUserinfo(given: string, stored: CallbackAddress | null): CallbackAddress | null {
  const address = splitUserinfo(given);
  const [user = '', password] = splitAtColon(address.userinfo ?? '');
  if (user !== mask && password !== mask) return address;
  const isStored =
    stored !== null &&
    stored.uri !== withoutMask(stored.uri) &&
    originOf(address.uri) === originOf(stored.uri) &&
    (address.userinfo === mask || address.userinfo === `${splitAtColon(stored.userinfo ?? '')[0]}:${mask}`);
  return isStored ? { uri: address.uri, userinfo: stored.userinfo } : null;
}

function splitAtColon(userinfo: string): [string, string?] {
  const colon = userinfo.indexOf(':');
  return colon === -1 ? [userinfo] : [userinfo.slice(0, colon), userinfo.slice(colon + 1)];
}

const originOf = (uri: string) => parseUrl(splitUri(uri).origin)?.origin;

/** Percent-encodes a value, so that it can't end its path segment or query parameter. Lone surrogates become U+FFFD. */
export const encodeUriValue = (value: string): string => encodeURIComponent(value.toWellFormed());

/**
 * The url to which a callback is sent: the uri without its fragment, and with encoded values in place of its
 * placeholders. Values can't change the host, nor add a path segment, a parameter or a fragment.
 */
export function renderUri(uri: string, values: JsonObject): Rendered<string> {
  const { origin, path, query } = splitUri(uri);
  const rendering = startRendering(values);
  const renderedPath = renderPath(path, rendering);
  return finishRendering(origin + renderedPath + replacePlaceholders(query, rendering, encodeUriValue), rendering);
}

function renderPath(path: string, rendering: Rendering): string {
  if (!hasPlaceholders(path)) return path;
  let start = 0;
  const segments = flatten(path)
    .split('/')
    .map(({ length }) => {
      const segment = path.slice(start, start + length);
      start += length + 1;
      return hasPlaceholders(segment) ? renderSegment(segment, rendering) : segment;
    });
  return segments.join('/');
}

// Receivers that know path parameters ignore what follows a semicolon.
const dotSegment = /^(?:\.|%2e){1,2}(?:;|$)/i;

/** Renders a path segment. `.` and `..` would climb to another path, so they become empty. */
function renderSegment(segment: string, rendering: Rendering): string {
  const rendered = replacePlaceholders(segment, rendering, encodeUriValue);
  if (!dotSegment.test(rendered)) return rendered;
  rendering.warnings.push(`the path segment ${segment} would be "${rendered}"; it was left empty`);
  return '';
}

const maxLength = 8_192;
const invalid = 'The uri field must be a valid URL.';

// The ports that the WHATWG Fetch standard lists as bad ports: https://fetch.spec.whatwg.org/#port-blocking
const badPorts = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530],
  ...[531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190],
  ...[5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/**
 * Validates the uri of a webhook, which may have a user and password. Returns the messages of its errors, of which
 * there is at most one; an empty list if the uri may be stored. Placeholders count as empty text. Host names are not
 * resolved here: each attempt checks their addresses.
 */
export function checkCallbackUri(uri: string, allowList: AllowList): string[] {
  // Who reads the uri can send it back, so the limit holds for what is shown too.
  if (![uri, splitUserinfo(uri).uri].every((text) => hasAtMostCharacters(text, maxLength))) {
    return [`The uri field must not be greater than ${maxLength} characters.`];
  }
  const placeholderError = placeholderErrorOf(uri);
  if (placeholderError !== null) return [placeholderError];
  // The fragment is not sent, but it is stored and shown.
  const rendered = renderUri(uri, {}).value + splitUri(uri).fragment;
  // The URL parser would silently drop or replace white space, control characters, backslashes and lone surrogates.
  const url = /^https?:\/\/[^/]/i.test(rendered) && !/[\s\\\p{Cc}\p{Cs}]/u.test(rendered) ? parseUrl(rendered) : null;
  if (url === null) return [invalid];
  const { hostname, port } = url;
  // The request goes to the host that is left without the user and password. Nothing at all before the @ is a slip.
  const withoutUserinfo = parseUrl(withoutMask(splitUserinfo(rendered).uri));
  const hasNothingBeforeAt = /^https?:\/\/:?@/i.test(rendered);
  if (hasNothingBeforeAt || withoutUserinfo?.host !== url.host || withoutUserinfo.username !== '') return [invalid];
  if (hostname.replace(/\.$/, '').split('.').includes('')) return [invalid];
  if (port !== '' && badPorts.has(Number(port))) return ['The uri field has a port that is not allowed.'];
  return isHostForbiddenAtStoring(hostname, allowList) ? ['The uri field has an address that is not allowed.'] : [];
}

function placeholderErrorOf(uri: string): string | null {
  const { origin, path, query, fragment } = splitUri(flatten(uri));
  const parameters = query.slice(1).split('&');
  // Without `=`, the whole parameter is a name.
  const names = parameters.map((parameter) => parameter.split('=', 1)[0] ?? '');
  if ([origin, ...names, fragment].some((part) => /\0|\{\{|\}\}/.test(part))) {
    return 'The uri field may have placeholders in path segments and in values of query parameters only.';
  }
  // In a query, `}}` may end JSON.
  if (/\{\{|\}\}/.test(path) || query.includes('{{')) {
    return 'The uri field has braces that form no placeholder. A placeholder is written {{name}}.';
  }
  if (/%[\da-f]?\0/i.test(path)) {
    return 'The uri field has a % just before a placeholder. Write %25 for a percent sign.';
  }
  return countPlaceholders(uri) > maxPlaceholders
    ? `The uri field must not have more than ${maxPlaceholders} placeholders.`
    : null;
}

function isHostForbiddenAtStoring(hostname: string, allowList: AllowList): boolean {
  // got calls a Unix socket for http://unix:<path>:<path>, whose parsed host name is `unix`.
  if (hostname === 'unix' || isForbiddenHost(hostname, allowList)) return true;
  // localhost is always loopback. Other private names are resolved at each attempt, and need an entry in the allow
  // list.
  const isLoopback = /(^|\.)localhost\.?$/i.test(hostname);
  return isLoopback && !allowList.has('127.0.0.1') && !allowList.has('::1');
}

/**
 * A placeholder of another service in a uri that has none of ours: `{name}`, or `%0` to `%9` (a percent-encoded
 * character has two digits). Undefined if there is none.
 */
export const foreignPlaceholder = (uri: string): string | undefined =>
  hasPlaceholders(uri) ? undefined : /\{[a-z_][\w.-]*\}|%\d(?![\da-f])/i.exec(uri)?.[0];
