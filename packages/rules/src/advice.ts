import { parseUrl } from './egress.js';
import type { Channel } from './event.js';
import { type Certificate, isSuccess, type Outcome } from './verdict.js';

export type UnsuccessfulRequest = {
  /** Whose rule of success applied. A verification needs a 200 that repeats its challenge. */
  purpose: Channel | 'verification';
  outcome: Outcome;
  /** The url of the request. Advice shows only its host and port. */
  url: string;
  /** The headers of the response, with lower-case names. */
  responseHeaders: Record<string, string> | null;
  at: Date;
};

/**
 * What the webhook's owner should know and do after an attempt, a test call or an attempt of a verification that did
 * not succeed; null after a success. It is recorded with the attempt, so that the API, the command line and the portal
 * show the same text.
 */
export function adviceFor({ purpose, outcome, url, responseHeaders, at }: UnsuccessfulRequest): string | null {
  if (outcome.type === 'response') {
    if (purpose === 'verification') return verificationAdvice(outcome.status, responseHeaders, url);
    return isSuccess(purpose, outcome) ? null : statusAdvice(purpose, outcome, { url, responseHeaders });
  }
  const { code, certificate, phase } = outcome;
  const target = targetOf(url);
  if (outcome.type === 'tls') return tlsAdvice(code, { target, certificate, at });
  if (phase) return phases[phase](target);
  return find(failures[outcome.type], code)?.(target, code) ?? '';
}

/** Why a delivery is skipped. The API shows these words as its `reason`. */
export type SkipReason = keyof typeof skipped;

/** What the webhook's owner can do about a delivery that was skipped. Null for another reason. */
export function adviceForSkipped(reason: string | null): string | null {
  return Object.entries(skipped).find(([known]) => known === reason)?.[1] ?? null;
}

const skipped = {
  'webhook inactive': 'The webhook is inactive. Activate it, then send the callback again.',
  'webhook deleted': 'The webhook is deleted. Restore it, then send the callback again.',
  'webhook not verified':
    'The webhook has not passed its verification. Run the verification again, then send the callback again.',
  'delivery is off':
    'The operator had switched delivery off. Another sender may have sent this callback; if not, send it again.',
  'account deleted': 'The account was deleted. If it exists again, send the callback again.',
};

/** The host that a request was sent to, and the host with its port, as advice shows them. */
type Target = { host: string; hostAndPort: string };

function targetOf(url: string): Target {
  const parsed = parseUrl(url);
  return { host: parsed?.hostname ?? 'the receiver', hostAndPort: parsed?.host ?? 'the receiver' };
}

/** The last entry of each list is for every other code. */
type Sentences<Args extends unknown[]> = readonly (readonly [RegExp, (...args: Args) => string])[];

const find = <Args extends unknown[]>(sentences: Sentences<Args>, code: string) =>
  sentences.find(([pattern]) => pattern.test(code))?.[1];

const phases: Record<'tls' | 'forwarding', (target: Target) => string> = {
  tls: ({ hostAndPort }) =>
    `${hostAndPort} closed the connection during the TLS handshake. Check that it supports TLS 1.2 or 1.3, has a certificate for this name, and wants none from the client.`,
  forwarding: ({ hostAndPort }) =>
    `The proxy of this service got no response from ${hostAndPort} in time. Check that the receiver can be reached, and that it responds before it processes the callback.`,
};

const failures: Record<Exclude<Outcome['type'], 'response' | 'tls'>, Sentences<[target: Target, code: string]>> = {
  timeout: [
    [
      /^DNS_/,
      ({ host }) => `The name servers of ${host} did not answer in time. Check that all of them are reachable.`,
    ],
    [
      /^CONNECT_/,
      ({ hostAndPort }) =>
        `${hostAndPort} did not accept a connection in time. Check the address, and that no firewall drops callbacks.`,
    ],
    [
      /^TLS_/,
      ({ hostAndPort }) =>
        `${hostAndPort} accepted the connection, but did not complete the TLS handshake in time. Check that it speaks TLS at this port and is not overloaded.`,
    ],
    [
      /^/,
      ({ hostAndPort }) =>
        `${hostAndPort} got the request, but did not respond in time. Store the callback, respond, and process it afterwards.`,
    ],
  ],
  dns: [
    [
      /^(ENOTFOUND|ENODATA|EAI_NO\w+)$/,
      ({ host }) => `The name ${host} has no address. Check its spelling and its DNS records.`,
    ],
    [/^/, ({ host }) => `The name servers of ${host} could not answer. Check them, then send the callback again.`],
  ],
  connect: [
    [
      /^ECONNREFUSED$/,
      ({ hostAndPort }) =>
        `Nothing listens at ${hostAndPort}. Check that the receiver runs, and that the port is right.`,
    ],
    [
      /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/,
      ({ host }) => `There is no route to ${host}. Check the address, the routing and the firewall of the receiver.`,
    ],
    [
      /^PROXY_/,
      ({ hostAndPort }) =>
        `The proxy of this service got no connection to ${hostAndPort}. Check the address, and that the receiver runs.`,
    ],
    [
      /^/,
      ({ hostAndPort }, code) =>
        `No connection to ${hostAndPort} could be opened (${code}). Check that the receiver runs, and that no firewall blocks it.`,
    ],
  ],
  reset: [
    [
      /^/,
      ({ hostAndPort }) =>
        `${hostAndPort} closed the connection before it responded. Look for crashes and restarts in the logs of the receiver and of its proxy.`,
    ],
  ],
  refused: [
    [/^INVALID_URL$/, () => 'The address of the webhook is not a valid http or https address. Correct it.'],
    [
      /^PROXY_/,
      ({ hostAndPort }) =>
        `The proxy of this service does not permit ${hostAndPort}. Use another address, or ask the operator.`,
    ],
    [
      /^/,
      ({ host }) =>
        `Callbacks may not go to ${host}, because it is not public. Use an address that is reachable from the internet.`,
    ],
  ],
  protocol: [
    [
      /^ERR_(INVALID_CHAR|HTTP_INVALID_HEADER_VALUE)$/,
      () => 'A header of the callback has a character that cannot be sent. Change the secret of the webhook.',
    ],
    [
      /^HPE_HEADER_OVERFLOW$/,
      ({ hostAndPort }) => `The headers of the response of ${hostAndPort} are too large. Send fewer or shorter ones.`,
    ],
    [
      /^TOO_MANY_INTERIM_RESPONSES$/,
      ({ hostAndPort }) => `${hostAndPort} sent interim responses without end. Send one final status.`,
    ],
    [
      /^/,
      ({ hostAndPort }, code) =>
        `The response of ${hostAndPort} is not valid HTTP (${code}). Check the port, and whether the address needs https.`,
    ],
  ],
};

type TlsContext = { target: Target; certificate: Certificate | undefined; at: Date };

/** The codes are those of OpenSSL's verification, or `ERR_SSL_` and OpenSSL's reason (docs/reference/callbacks.md). */
const tlsFailures: Sentences<[context: TlsContext, code: string]> = [
  [/^CERT_HAS_EXPIRED$/, (context) => expiryAdvice(context)],
  [
    /^CERT_NOT_YET_VALID$/,
    ({ target, certificate }) =>
      `The certificate of ${target.host} is valid only ${certificate ? `from ${formatDay(certificate.validFrom)}` : 'later'}. Install one that is valid already.`,
  ],
  [
    /ALTNAME|HOSTNAME_MISMATCH/,
    ({ target, certificate }) => {
      const names = certificate?.names.length ? ` for ${certificate.names.join(', ')}` : '';
      return `The certificate that ${target.host} sends is${names}${names ? ', ' : ' '}not for ${target.host}. Get one that names ${target.host}, or use a name of the certificate in the address.`;
    },
  ],
  [
    /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    ({ target }) => `The certificate of ${target.host} is self-signed. Use one of a public certificate authority.`,
  ],
  [
    /^SELF_SIGNED_CERT_IN_CHAIN$/,
    ({ target, certificate }) =>
      `The certificate of ${target.host} is from a private authority${issuerOf(certificate)}. Use one of a public certificate authority, or give the webhook the CA certificate of the private one (tls.ca).`,
  ],
  [
    /^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER)/,
    ({ target, certificate }) =>
      `The certificate of ${target.host} cannot be traced to a public certificate authority${issuerOf(certificate)}. Send the intermediate certificates too, use a certificate of a public authority, or give the webhook the CA certificate of a private one (tls.ca).`,
  ],
  [/REVOKED/, ({ target }) => `The certificate of ${target.host} was revoked. Install a new one.`],
  [
    /WRONG_VERSION_NUMBER|HTTP_REQUEST|HTTPS_PROXY_REQUEST|PACKET_LENGTH_TOO_LONG|RECORD_TOO_(LONG|SMALL)|UNKNOWN_PROTOCOL/,
    ({ target }) =>
      `${target.hostAndPort} does not speak TLS. Check the port, or, if it speaks plain http, begin the address with http://.`,
  ],
  [
    /UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|VERSION_TOO_LOW|LEGACY_SIGALG/,
    ({ target }) => `${target.hostAndPort} supports only outdated versions of TLS. Enable TLS 1.2 or 1.3.`,
  ],
  [
    /LEGACY_RENEGOTIATION/,
    ({ target }) =>
      `${target.hostAndPort} lacks secure renegotiation (RFC 5746). Update its TLS software, or enable TLS 1.3.`,
  ],
  [
    /ALERT_(CERTIFICATE_REQUIRED|NO_CERTIFICATE|BAD_CERTIFICATE|UNKNOWN_CA)/,
    ({ target }) =>
      `${target.hostAndPort} wants a client certificate, which callbacks do not have. Let it accept callbacks without one.`,
  ],
  [
    /HANDSHAKE_FAILURE|INSUFFICIENT_SECURITY|NO_SHARED_CIPHER/,
    ({ target }) =>
      `${target.hostAndPort} refused the TLS handshake. It wants a client certificate, or supports none of the usual ciphers: change its TLS settings.`,
  ],
  [
    /UNRECOGNIZED_NAME/,
    ({ target }) =>
      `The server at ${target.hostAndPort} has no certificate for this name. Configure one for ${target.host}.`,
  ],
  [
    /TOO_SMALL|TOO_WEAK|MD_TOO|BAD_DH/,
    ({ target }) =>
      `The key or signature that ${target.hostAndPort} uses for TLS is too weak. Get a new certificate with current settings.`,
  ],
  [
    /^/,
    ({ target }, code) =>
      `The TLS connection to ${target.hostAndPort} failed (${code}). Check the certificate and the TLS settings of the receiver.`,
  ],
];

const tlsAdvice = (code: string, context: TlsContext) => find(tlsFailures, code)?.(context, code) ?? '';

/** OpenSSL reports the same code when another certificate of the chain has expired. */
function expiryAdvice({ target, certificate, at }: TlsContext): string {
  if (!certificate) return `The certificate of ${target.host} has expired. Renew it.`;
  if (Date.parse(certificate.validTo) <= at.getTime())
    return `The certificate of ${target.host} expired on ${formatDay(certificate.validTo)}. Renew it.`;
  return `${target.host} sends an intermediate certificate that has expired. Install the current ones of its authority.`;
}

const issuerOf = (certificate: Certificate | undefined) => (certificate?.issuer ? ` ("${certificate.issuer}")` : '');

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const formatDay = (time: string) => dayFormat.format(new Date(time));

type ResponseContext = Pick<UnsuccessfulRequest, 'url' | 'responseHeaders'>;

function verificationAdvice(status: number, responseHeaders: Record<string, string> | null, url: string): string {
  if (status === 200)
    return 'The response did not repeat the challenge. Respond with the challenge of the request, as text or as {"challenge": "…"}.';
  if (status > 200 && status < 300) return `The status ${status} does not pass the verification. Respond with 200.`;
  return statusAdvice('verification', { status }, { url, responseHeaders });
}

function statusAdvice(
  purpose: UnsuccessfulRequest['purpose'],
  { status, retryAfterSeconds }: { status: number; retryAfterSeconds?: number },
  { url, responseHeaders }: ResponseContext,
): string {
  const wanted = purpose === 'sms' ? '200 or 202' : purpose === 'rcs' ? 'a status from 200 to 299' : '200';
  if (status >= 200 && status < 300)
    return `The status ${status} does not count as success for this event. Respond with ${wanted}.`;
  if (status >= 300 && status < 400) return redirectAdvice(status, responseHeaders?.location, url);
  if ((status === 429 || status === 503) && retryAfterSeconds !== undefined && retryAfterSeconds > 0)
    return `The receiver is overloaded and asks to wait for ${Math.ceil(retryAfterSeconds)} s. Raise its limits, or set a rate_limit for the webhook.`;
  return (
    statuses[status] ??
    groups[Math.floor(status / 100)] ??
    `HTTP does not define the status ${status}. Respond with ${wanted}.`
  );
}

// The space before the full stop keeps it out of a copied address.
function redirectAdvice(status: number, location: string | undefined, url: string): string {
  const target = location === undefined ? null : resolveUrl(location, url);
  return target === null
    ? `The server redirects (${status}), and callbacks do not follow redirects. Enter the final address in the webhook.`
    : `The server redirects to ${target} . Use that address.`;
}

function resolveUrl(location: string, base: string): string | null {
  const target = parseUrl(location, base);
  if (target?.protocol !== 'http:' && target?.protocol !== 'https:') return null;
  // A relative location inherits the user and password of the webhook's uri.
  target.username = target.password = '';
  return target.href;
}

const rejected =
  'The receiver does not accept the body of the callback. Read its response, then change the receiver or the body template of the webhook.';
const unauthorized =
  'The receiver does not accept the token or the signature. Compare the secret of the webhook, or, if it has none, the callback token of the account, with what the receiver expects.';
const unavailable =
  'The application behind this address is not available. Check that it runs and responds in time, then send the callback again.';

const statuses: Record<number, string> = {
  400: rejected,
  401: unauthorized,
  403: unauthorized,
  404: 'The server has nothing at this path. Check the path of the address, with its capital letters and slashes.',
  405: 'The receiver does not accept POST at this address. Enter the address for callbacks, or let it accept POST.',
  408: 'The receiver did not get the whole request in time. Look into its log and that of its proxy.',
  410: 'The receiver says that this address is gone for good. Enter the new one, or deactivate the webhook.',
  413: 'The callback is larger than the receiver allows. Raise its limit, or send fewer fields with a body template.',
  415: 'The receiver does not accept JSON. Let it accept the content type application/json.',
  421: 'The server is not configured for this host name. Check the host of the address, and the settings of the server.',
  422: rejected,
  429: 'The receiver got more callbacks than it allows. Raise its limit, or set a rate_limit for the webhook.',
  500: 'The receiver had an error while it processed the callback. Look into its log at this time.',
  502: unavailable,
  503: unavailable,
  504: unavailable,
};

const groups: Record<number, string> = {
  1: 'The receiver did not send a final status. Respond with 200.',
  4: 'The receiver refused the callback. Read its response, then change the webhook or the receiver.',
  5: 'The receiver or a proxy before it has a problem. Look into its log at this time.',
};
