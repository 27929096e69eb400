import type { ErrorClass } from '../data/schemas.js';

type Words = { label: string; meaning: string; action: string };

/** Every class of error: what it is, what happened, and what the owner of the receiver can do. */
const words: Record<ErrorClass, Words> = {
  timeout: {
    label: 'Timeout',
    meaning: 'The receiver did not answer in time.',
    action: 'Answer first and work later: store the callback, send the status, then process it.',
  },
  dns: {
    label: 'Name not found',
    meaning: 'The host name of the address could not be resolved.',
    action: 'Check the spelling of the host and its DNS records.',
  },
  tls: {
    label: 'TLS failed',
    meaning: 'The encrypted connection could not be set up, often because of the certificate.',
    action:
      'Check that the certificate is valid for the host, not expired, and sent with its intermediate certificates.',
  },
  connect: {
    label: 'No connection',
    meaning: 'The receiver could not be reached, or it refused the connection.',
    action: 'Check that the server runs, that the port is right, and that no firewall blocks it.',
  },
  reset: {
    label: 'Connection broken',
    meaning: 'The receiver closed the connection before it had answered.',
    action: 'Look for crashes and restarts in the log of the receiver and of the proxy in front of it.',
  },
  refused: {
    label: 'Address not allowed',
    meaning: 'The service does not call this address, for example because it is private.',
    action: 'Use an address that can be reached from the internet.',
  },
  protocol: {
    label: 'Invalid answer',
    meaning: 'The receiver answered with something that is not HTTP.',
    action: 'Check that the port and the scheme, http or https, are right.',
  },
  status: {
    label: 'Failure status',
    meaning: 'The receiver answered with a status that is not a success.',
    action:
      'SMS callbacks need 200 or 202, RCS callbacks any 2xx. A redirect is not followed: enter the final address.',
  },
};

const isErrorClass = (name: string): name is ErrorClass => Object.hasOwn(words, name);

export const errorClasses = Object.keys(words) as ErrorClass[];
export const errorOptions = errorClasses.map((value) => ({ value, label: words[value].label }));
export const errorLabel = (name: string) => (isErrorClass(name) ? words[name].label : name);

/** What happened and what to do, in plain words. */
export const describeError = (name: ErrorClass): Words => words[name];

type Failed = { error: ErrorClass | null; response_code: number | null; reason: string | null };

/** Why a delivery failed, in a few words: `Status 500`, `Timeout`, or the reason of the service. */
export function failureLabel({ error, response_code: code, reason }: Failed): string {
  if (error === 'status' && code !== null) return `Status ${code}`;
  return error === null ? (reason ?? 'Failed') : words[error].label;
}
