import type { Outcome } from '@ringback/callbacks';

type Failure = Exclude<Outcome['type'], 'response'>;

const types: [RegExp, Failure][] = [
  [/^(REFUSED_ADDRESS|PROXY_403|PROXY_407)$/, 'refused'],
  [/^(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL)$/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM|EINVAL|PROXY_\w+)$/, 'connect'],
  [/^(ETIMEDOUT|ESOCKETTIMEDOUT)$/, 'timeout'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|ENOTCONN|ERR_SOCKET_CLOSED|ERR_STREAM_(DESTROYED|PREMATURE_CLOSE))$/, 'reset'],
  [/^(ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERROR_IN_|EPROTO)/, 'tls'],
  [/^(HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$/, 'tls'],
];

/** A call that could not be made for a reason of our own. Says the code only: what the client says may hold a token. */
export class CallError extends Error {
  override readonly name = 'CallError';
  constructor(
    readonly code: string,
    stack = '',
  ) {
    super(`the call could not be made (${code})`);
    const frames = stack.split('\n').filter((line) => line.startsWith('    at '));
    this.stack = [`${this.name}: ${this.message}`, ...frames].join('\n');
  }
}

/**
 * Names what went wrong at the receiver. Only the code is kept: messages of the client may hold the url or a token.
 * Throws a CallError for what went wrong with ourselves, so that it is never taken for the receiver's failure.
 */
export function outcomeOf(error: unknown): Outcome {
  const links = chainOf(error);
  const code = links.map(codeIn).findLast((found) => found !== undefined) ?? 'UNKNOWN';
  const mistake = badHeaders.has(code) ? undefined : links.find(({ name }) => mistakes.has(name));
  if (mistake) throw new CallError(codeIn(mistake) ?? mistake.name, mistake.stack);
  if (shortages.has(code)) throw new CallError(code, links[0]?.stack);
  return { type: types.find(([pattern]) => pattern.test(code))?.[1] ?? 'protocol', code };
}

// Mistakes in code; but a header that cannot be sent is one in what was stored, and an attempt that failed.
const mistakes = new Set(['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'ProxyUnreachableError']);
const badHeaders = new Set(['ERR_INVALID_CHAR', 'ERR_HTTP_INVALID_HEADER_VALUE']);

// This machine has run out of something.
const shortages = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EAI_MEMORY']);

type Link = { name: string; stack?: string; code?: unknown; cause?: unknown; errors?: unknown };

// By shape and not by class: an error of Node's own is none of this realm's where tests run.
const isLink = (value: unknown): value is Link =>
  typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';

const codeIn = ({ code }: Link) => (typeof code === 'string' ? code : undefined);

// got wraps errors and may replace their code by one of its own; the innermost is the one that says what happened.
function chainOf(error: unknown): Link[] {
  const links: Link[] = [];
  for (let link = error; isLink(link) && links.length < 5;) {
    links.push(link);
    link = Array.isArray(link.errors) && link.errors.length > 0 ? link.errors[0] : link.cause;
  }
  return links;
}
