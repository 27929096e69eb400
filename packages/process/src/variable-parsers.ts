import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { parseUrl } from '@ringback/rules';

/** The roles of a worker. Each can run in its own processes, which scale separately. */
export const roles = ['ingest-sms', 'ingest-rcs', 'deliver-sms', 'deliver-rcs', 'verify', 'maintain'] as const;

export type Role = (typeof roles)[number];

const split = (text: string): string[] => text.split(',').map((word) => word.trim());

/**
 * Parses `WORKER_ROLES`: `all`, or a comma-separated list of roles. `ingest` and `deliver` stand for both channels.
 * Throws an Error that names an unknown role.
 */
export function parseRoles(text: string): Set<Role> {
  const chosen = split(text).flatMap((word) => {
    const matching = roles.filter((role) => word === 'all' || role === word || role.startsWith(`${word}-`));
    if (matching.length === 0) throw new Error(`has no role "${word}"; the roles are all, ${roles.join(', ')}`);
    return matching;
  });
  return new Set(chosen);
}

const keyBytes = 32;
const isHex = (text: string) => /^[0-9a-f]{64}$/i.test(text);
const isBase64 = (text: string) => /^[A-Za-z0-9+/_-]{43}=?$/.test(text);

/**
 * Parses `SECRETS_KEYS`: a comma-separated list of 32-byte keys, each `name:key` with the key in base64 or hex. A key
 * without a name is named after the start of its SHA-256. Throws an Error that does not repeat the value.
 */
export function parseSecretKeys(text: string): { id: string; key: KeyObject }[] {
  const keys = text.split(',').map((entry, index) => parseKey(entry.trim(), index + 1));
  const names = new Set(keys.map(({ id }) => id));
  if (names.size < keys.length) throw new Error('has two keys with the same name');
  return keys;
}

function parseKey(entry: string, position: number): { id: string; key: KeyObject } {
  const [, name, encoded = ''] = /^(?:([A-Za-z0-9_-]{1,32}):)?([^:]*)$/.exec(entry) ?? [];
  const bytes = isHex(encoded) ? Buffer.from(encoded, 'hex') : Buffer.from(isBase64(encoded) ? encoded : '', 'base64');
  if (bytes.length !== keyBytes) {
    throw new Error(`must be keys of 32 bytes, separated by commas, each as name:base64; number ${position} is not`);
  }
  const id = name ?? createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  return { id, key: createSecretKey(bytes) };
}

// Links start with these URLs, and Express, browsers and proxies match paths with theirs, so a path has no character
// and no segment that any of them interprets.
const isPlainPath = (path: string) => /^(\/[\w.~-]+)*\/*$/.test(path) && !/\/\.\.?(\/|$)/.test(path);
const withoutTrailingSlash = (text: string) => text.replace(/\/+$/, '');

/** Creates a parser for http and https URLs with a plain path. It removes a trailing slash. */
const plainUrlParser = (example: string) => (text: string) => {
  const [, path] = /^https?:\/\/[^/\\?#@\s]+(.*)$/i.exec(text) ?? [];
  if (path === undefined || !isPlainPath(path) || !parseUrl(text))
    throw new Error(`must look like ${example}: a plain path, no user, no query, no fragment`);
  return withoutTrailingSlash(text);
};

/** Parses `PUBLIC_URL`. */
export const parsePublicUrl = plainUrlParser('https://example.com/callbacks');

/** Parses `BASE_URL`. */
export const parseBaseUrl = plainUrlParser('https://example.com/api/v2');

/** What is under the public URL besides the API. */
export const servicePaths = ['/portal', '/docs', '/healthz', '/readyz', '/metrics'] as const;

/** What already has the first segment of a path of the API, if anything. */
export const servicePathAt = (path: string): string | undefined =>
  servicePaths.find((taken) => `${path}/`.toLowerCase().startsWith(`${taken}/`));

/** Parses `API_PATH`: a plain path, without a trailing slash, so that `/` is empty text. */
export function parseApiPath(text: string): string {
  if (!text.startsWith('/') || !isPlainPath(text)) {
    throw new Error('must be a plain path that starts with a slash, such as /api/v2, or / alone');
  }
  const taken = servicePathAt(text);
  if (taken !== undefined) throw new Error(`must not be under ${taken}, which is not part of the API`);
  return withoutTrailingSlash(text);
}

// A scheme, a host and a port. Paths, wildcards and any characters with a meaning in a Content-Security-Policy do not
// match.
const originForm = /^https?:\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;

/**
 * Parses origins that are separated by commas or spaces. Throws an Error that names the first text that is not an
 * origin, unless a password may be in it.
 */
export function parseOrigins(text: string): string[] {
  if (text.includes('@'))
    throw new Error('must not have a user name or password; an origin looks like https://example.com');
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  return [...new Set(parts.map(parseOrigin))];
}

function parseOrigin(text: string): string {
  try {
    if (originForm.test(text)) return new URL(text).origin;
  } catch {
    // The URL is invalid, for example because its port is too large.
  }
  throw new Error(`has "${text}", which is not an origin such as https://example.com`);
}

export type ProxyUrl = { host: string; port: number; isTls: boolean; headers: Record<string, string> };

/** The proxy for callbacks: `EGRESS_PROXY`, `EGRESS_PROXY_HTTP` and `EGRESS_PROXY_EXCEPT`. */
export type EgressProxySettings = {
  url: ProxyUrl;
  /** Whether the proxy forwards plain http requests, or opens tunnels for them too. */
  http: 'forward' | 'tunnel';
  /** Whether a host is reached without the proxy. */
  isExcepted: HostMatcher;
};

/** Parses `EGRESS_PROXY`: `http[s]://[user:password@]host:port`. Throws an Error that does not repeat the value. */
export function parseProxyUrl(text: string): ProxyUrl {
  const url = parseUrl(text);
  const credentials = url && credentialsOf(url);
  const isTls = url?.protocol === 'https:';
  if (
    (url?.protocol !== 'http:' && !isTls) ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== '' ||
    credentials === null
  ) {
    throw new Error('must be the URL of a proxy, such as http://proxy.example:3128');
  }
  const { hostname, port } = url;
  const headers: Record<string, string> = credentials ? { 'Proxy-Authorization': `Basic ${credentials}` } : {};
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (isTls ? 443 : 80)), isTls, headers };
}

export type HostMatcher = (hostname: string, port: number) => boolean;

/**
 * Parses `EGRESS_PROXY_EXCEPT`, a comma-separated list as in NO_PROXY: a host with its subdomains, an address, a CIDR
 * range, each but the last with `:port` if wanted; `*` is every host. Throws an Error that names the invalid entry.
 */
export function parseProxyExceptions(text: string): HostMatcher {
  const matchers = split(text)
    .filter((entry) => entry !== '')
    .map(parseException);
  return (hostname, port) => matchers.some((matches) => matches(hostname.replace(/\.$/, '').toLowerCase(), port));
}

function parseException(entry: string): HostMatcher {
  if (entry === '*') return () => true;
  const [, bracketed, plain = '', portText] =
    /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+|[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:./]*))(?::(\d{1,5}))?$/i.exec(entry) ?? [];
  const host = (bracketed ?? plain).toLowerCase();
  const isPort = (port: number) => portText === undefined || port === Number(portText);
  const range = portText === undefined ? parseRange(host) : null;
  if (range) return (hostname) => isIP(hostname) !== 0 && range.check(hostname, isIP(hostname) === 6 ? 'ipv6' : 'ipv4');
  if (isIP(host) !== 0) return (hostname, port) => hostname === host && isPort(port);
  const name = host.replace(/^\*?\./, '');
  if (bracketed !== undefined || !/^[\p{L}\d_-]+(\.[\p{L}\d_-]+)*$/u.test(name) || Number(portText) > 65_535) {
    throw new Error(`has "${entry}", which is not a host, a domain such as .example.com, an address or a range`);
  }
  return (hostname, port) => (hostname === name || hostname.endsWith(`.${name}`)) && isPort(port);
}

/** A CIDR range, or null if the text is none. */
function parseRange(text: string): BlockList | null {
  const [address = '', length = '', ...rest] = text.split('/');
  const family = isIP(address);
  const isRange = family !== 0 && /^\d{1,3}$/.test(length) && Number(length) <= (family === 6 ? 128 : 32);
  if (!isRange || rest.length > 0) return null;
  const list = new BlockList();
  list.addSubnet(address, Number(length), family === 6 ? 'ipv6' : 'ipv4');
  return list;
}

/** The credentials for HTTP Basic authentication: empty if there are none, null if they are malformed. */
function credentialsOf({ username, password }: URL): string | null {
  try {
    const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return text === ':' ? '' : Buffer.from(text).toString('base64');
  } catch {
    return null;
  }
}

/** Parses `OTEL_EXPORTER_OTLP_HEADERS` as OpenTelemetry defines it: values are percent-encoded. */
export function parseHeaders(text: string): Record<string, string> {
  try {
    return Object.fromEntries(text.split(',').map(parseHeader));
  } catch {
    throw new Error('must look like name=value,name=value, with values percent-encoded');
  }
}

function parseHeader(pair: string): [string, string] {
  const [, name, value] = /^\s*([\w-]+)=(.+)$/.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw new Error('not a header');
  return [name, decodeURIComponent(value.trim())];
}
