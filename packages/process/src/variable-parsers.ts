import { createHash, createSecretKey, type KeyObject } from 'node:crypto';

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

export type HttpProxy = { host: string; port: number; headers: Record<string, string> };

/** Parses `EGRESS_PROXY`: `http://[user:password@]host:port`. Throws an Error that does not repeat the value. */
export function parseProxyUrl(text: string): HttpProxy {
  const url = parseUrl(text);
  const credentials = url && credentialsOf(url);
  if (
    url?.protocol !== 'http:' ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== '' ||
    credentials === null
  ) {
    throw new Error('must be the URL of a proxy, such as http://proxy.example:3128');
  }
  const { hostname, port } = url;
  const headers: Record<string, string> = credentials ? { 'Proxy-Authorization': `Basic ${credentials}` } : {};
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), headers };
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

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
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
