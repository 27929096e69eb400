import type { Attempt, DeliveryDetail, ErrorClass } from '../api/schemas.js';
import { describeError } from './errors.js';

type Refinement = { errorCodes: RegExp; meaning: string; action: string; isAddressProblem?: boolean };

const addressErrors = new Set<ErrorClass>(['dns', 'connect', 'refused', 'protocol']);

/** Advice for error codes that say more than the class of the error. */
const refinements: Refinement[] = [
  {
    errorCodes: /^CERT_HAS_EXPIRED$/,
    meaning: 'The certificate of the receiver has expired.',
    action: 'Renew the certificate, then send the callback again.',
  },
  {
    errorCodes: /SELF_SIGNED/,
    meaning: 'The certificate of the receiver is self-signed, so it cannot be verified.',
    action: 'Use a certificate from a public certificate authority.',
  },
  {
    errorCodes: /^UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER)/,
    meaning:
      'The certificate of the receiver cannot be traced to a known certificate authority. Often the receiver does not send the intermediate certificates.',
    action:
      'Use a certificate from a public certificate authority, and configure the receiver to send the whole certificate chain.',
  },
  {
    errorCodes: /ALTNAME|HOSTNAME_MISMATCH/,
    meaning: 'The certificate of the receiver is for another host name.',
    action: 'Use the host name of the certificate in the address, or a certificate for this host.',
    isAddressProblem: true,
  },
  {
    errorCodes: /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|TLSV1_ALERT.*))$/,
    meaning: 'The TLS handshake failed. Often the server at this port speaks http, not https.',
    action: 'Check the port and the scheme of the address.',
    isAddressProblem: true,
  },
  {
    errorCodes: /^ECONNREFUSED$/,
    meaning: 'The host was reached, but no program listens on this port.',
    action: 'Check that the receiver runs, and that the port of the address is right.',
  },
  {
    errorCodes: /^(EHOSTUNREACH|ENETUNREACH)$/,
    meaning: 'There is no network route to the host.',
    action: 'Check the address, the routing and the firewall of the receiver.',
  },
  {
    errorCodes: /^(EAI_AGAIN|ESERVFAIL)$/,
    meaning: 'The DNS servers of the domain did not respond.',
    action: 'Check the DNS servers of the domain. When they work again, send the callback again.',
  },
];

type AttemptResult = Pick<Attempt, 'error' | 'error_code' | 'response'>;

/** Why an attempt failed, and what to do. Undefined if it succeeded. */
export function adviceFor(
  event: DeliveryDetail['event'],
  { error, error_code: code, response }: AttemptResult,
): Advice | undefined {
  if (error === null) return undefined;
  if (error === 'status' && response?.code) {
    const location = headerOf(response.headers, 'location');
    return statusAdvice(response.code, { isSms: !event.startsWith('rcs:'), location });
  }
  const { label, ...description } = describeError(error);
  const refined = refinements.find(({ errorCodes }) => errorCodes.test(code ?? ''));
  return { title: label, isAddressProblem: addressErrors.has(error), ...description, ...refined };
}

function headerOf(headers: object | null, name: string): string | undefined {
  const [, value] = Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : undefined;
}

/** Advice for each reason for which a delivery is skipped. */
export const skipReasonAdvice: Record<string, string> = {
  'webhook inactive': 'The webhook is inactive. Activate it, then send the callback again.',
  'webhook deleted': 'The webhook is deleted. Restore it, then send the callback again.',
  'webhook not verified':
    'The webhook has not passed its verification. Run the verification again, then send the callback again.',
};

/** What happened, and what the owner of the receiver can do. */
export type Advice = { title: string; meaning: string; action: string; isAddressProblem?: boolean };

type Explanation = Omit<Advice, 'title'>;

const unauthorized: Explanation = {
  meaning: 'The receiver refused the callback, probably because it does not accept the token or the signature.',
  action:
    'Compare the token that the receiver expects with the secret of the webhook, or, if it has none, with the callback token of the account. The callback carries this token in the Authorization header, after "Bearer". If the receiver verifies signatures, compare the signing secret, too.',
};
const unavailable: Explanation = {
  meaning:
    'The application is not available. Often a proxy or load balancer returns this status because the application behind it does not respond.',
  action: 'Check that the application runs and responds in time, then send the callback again.',
};
const rejected: Explanation = {
  meaning: 'The receiver does not accept the body of the callback.',
  action:
    'Read the response: it often says which field is wrong. Then change the receiver, or the body template of the webhook.',
};

const statuses: Record<number, Explanation> = {
  400: rejected,
  401: unauthorized,
  403: unauthorized,
  404: {
    meaning: 'The server was reached, but it has nothing at this path.',
    action: 'Check the path of the address, including capital letters and a trailing slash.',
    isAddressProblem: true,
  },
  405: {
    meaning: 'The receiver does not accept POST at this address.',
    action: 'Enter the address that accepts callbacks, or configure the receiver to accept POST.',
    isAddressProblem: true,
  },
  410: {
    meaning: 'The receiver reports that this address is permanently gone.',
    action: 'Enter the new address. If there is none, deactivate the webhook.',
    isAddressProblem: true,
  },
  413: {
    meaning: 'The body of the callback is larger than the receiver allows.',
    action: 'Raise the limit of the receiver or of its proxy, or send fewer fields with a body template.',
  },
  415: {
    meaning: 'The receiver does not accept JSON.',
    action: 'Configure the receiver to accept the content type application/json.',
  },
  422: rejected,
  429: {
    meaning: 'The receiver got more callbacks than it allows.',
    action: 'Raise the limit of the receiver, or set a rate limit for the webhook, then send the callback again.',
  },
  500: {
    meaning: 'The receiver had an error while it processed the callback.',
    action: 'Look into the log of the receiver at this time. When the problem is fixed, send the callback again.',
  },
  502: unavailable,
  503: unavailable,
  504: unavailable,
};

const groups: Record<number, Explanation> = {
  1: { meaning: 'The receiver did not send a final response.', action: 'Make the receiver return 200.' },
  4: {
    meaning: 'The receiver refused the callback.',
    action: 'Read the response: it may say why. Then change the webhook or the receiver.',
  },
  5: {
    meaning: 'The receiver or a proxy in front of it has a problem.',
    action: 'Look into the log of the receiver at this time. When the problem is fixed, send the callback again.',
  },
};

const other: Explanation = {
  meaning: 'The receiver returned a status that HTTP does not define.',
  action: 'Make the receiver return 200.',
};

/** Why a status code is a failure, and what to do. */
function statusAdvice(status: number, { isSms, location }: { isSms: boolean; location: string | undefined }): Advice {
  const title = `The receiver returned the status ${status}`;
  if (status >= 200 && status < 300 && isSms) {
    const meaning = `For this event, only the statuses 200 and 202 count as success, not ${status}.`;
    return { title, meaning, action: 'Make the receiver return 200.' };
  }
  if (status >= 300 && status < 400) return redirectAdvice(title, location);
  return { title, ...(statuses[status] ?? groups[Math.floor(status / 100)] ?? other) };
}

const redirectAdvice = (title: string, location: string | undefined): Advice => ({
  title,
  meaning: 'The receiver redirects to another address. Callbacks do not follow redirects.',
  action:
    location === undefined
      ? 'Enter the final address in the webhook.'
      : `Enter the final address in the webhook. The receiver redirects to ${location}`,
  isAddressProblem: true,
});
