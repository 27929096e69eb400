import type { Outcome } from '@ringback/rules';

type Failure = Exclude<Outcome['type'], 'response'>;

const typesByCode: [RegExp, Failure][] = [
  [/^(REFUSED_ADDRESS|PROXY_DENIED)$/, 'refused'],
  [/^(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL)$/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM|EINVAL|PROXY_\w+)$/, 'connect'],
  [/^(ETIMEDOUT|ESOCKETTIMEDOUT|DNS_TIMEOUT)$/, 'timeout'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|ENOTCONN|ERR_SOCKET_CLOSED|ERR_STREAM_(DESTROYED|PREMATURE_CLOSE))$/, 'reset'],
  [/^(ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERROR_IN_|EPROTO)/, 'tls'],
  [/^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/, 'tls'],
];

/**
 * An internal error prevented a request. It carries only the original error's code (or name) and stack frames, because
 * the HTTP client's messages may contain a token.
 */
class SendError extends Error {
  override readonly name = 'SendError';
  constructor(
    readonly code: string,
    stack = '',
  ) {
    super(`the request could not be sent (${code})`);
    const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
    this.stack = [`${this.name}: ${this.message}`, ...frames].join('\n');
  }
}

/** The code of an error that `send` threw because the operator's proxy failed; null for any other error. */
export function proxyFailureOf(error: unknown): string | null {
  return isLink(error) && error.name === 'SendError' ? (/^PROXY_/.exec(codeIn(error) ?? '')?.input ?? null) : null;
}

/**
 * Classifies the error of a request, by its code, as a failure of the receiver. Throws a SendError for an internal
 * error, so that it never counts as the receiver's failure.
 */
export function classifyError(error: unknown): Outcome {
  const links = chainOf(error);
  const code = links.map(codeIn).findLast((linkCode) => linkCode !== undefined) ?? 'UNKNOWN';
  if (code === 'EPROTO') return { type: 'tls', code: openSslCode(links) ?? code };
  const internal = badHeaders.has(code) ? undefined : links.find(({ name }) => internalErrors.has(name));
  if (internal) throw new SendError(codeIn(internal) ?? internal.name, internal.stack);
  if (resourceErrors.has(code)) throw new SendError(code, links[0]?.stack);
  return { type: typesByCode.find(([pattern]) => pattern.test(code))?.[1] ?? 'protocol', code };
}

// Defects in Ringback, and failures of the operator's proxy.
const internalErrors = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'ProxyFailureError']);
// A header that cannot be sent comes from stored data, so it fails the attempt.
const badHeaders = new Set(['ERR_INVALID_CHAR', 'ERR_HTTP_INVALID_HEADER_VALUE']);

// This machine has run out of file descriptors, memory or buffers.
const resourceErrors = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EAI_MEMORY']);

type Link = { name: string; message?: unknown; stack?: string; code?: unknown; cause?: unknown; errors?: unknown };

// By shape, not by class: in jest, Node's errors belong to another realm.
const isLink = (value: unknown): value is Link =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';

const codeIn = ({ code }: Link) => (typeof code === 'string' ? code : undefined);

/**
 * The code of an OpenSSL error that ended a write: `ERR_SSL_` and its reason, as in errors that Node names itself. For
 * a failed write, Node has the code EPROTO and OpenSSL's line, `error:<number>:<library>:<function>:<reason>:…`.
 */
function openSslCode(links: readonly Link[]): string | undefined {
  for (const { message } of links) {
    const [, reason] = /:error:[0-9A-F]+:[^:\n]*:[^:\n]*:([\w ./-]{1,80}):/.exec(String(message)) ?? [];
    if (reason !== undefined) return `ERR_SSL_${reason.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
  }
  return undefined;
}

/** The error and its causes. got wraps errors and may replace their code, so the innermost code names the cause. */
function chainOf(error: unknown): Link[] {
  const links: Link[] = [];
  for (let link = error; isLink(link) && links.length < 5;) {
    links.push(link);
    link = Array.isArray(link.errors) && link.errors.length > 0 ? link.errors[0] : link.cause;
  }
  return links;
}
