import type { Outcome } from '@ringback/callbacks';

type Failure = Exclude<Outcome['type'], 'response'>;

const types: [RegExp, Failure][] = [
  [/^REFUSED_ADDRESS$/, 'refused'],
  [/^(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL)$/, 'dns'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM|EINVAL)$/, 'connect'],
  [/^(ETIMEDOUT|ESOCKETTIMEDOUT)$/, 'timeout'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'reset'],
  [/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/, 'tls'],
];

/** Names what went wrong at the receiver. Only the code is kept: messages of the client may hold the url or a token. */
export function outcomeOf(error: unknown): Outcome {
  const code = codeOf(error);
  const type = types.find(([pattern]) => pattern.test(code))?.[1] ?? 'protocol';
  return { type, code };
}

// got wraps errors and may replace their code by one of its own; the innermost is the one that says what happened.
function codeOf(error: unknown): string {
  let code = 'UNKNOWN';
  for (let link: unknown = error, depth = 0; link instanceof Error && depth < 5; link = link.cause, depth++) {
    if ('code' in link && typeof link.code === 'string') code = link.code;
    if (link instanceof AggregateError && link.errors.length > 0) return codeOf(link.errors[0]);
  }
  return code;
}
