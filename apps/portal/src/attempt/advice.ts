import type { Attempt, DeliveryDetail, ErrorClass } from '../api/schemas.js';
import { type Advice, statusAdvice } from '../resources/advice.js';
import { describeError } from '../resources/errors.js';

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
