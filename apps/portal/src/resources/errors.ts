import type { ErrorClass } from '../api/schemas.js';

type ErrorDescription = { label: string; meaning: string; action: string };

/** Each class of error: its label, what happened, and what the owner of the receiver can do. */
const descriptions: Record<ErrorClass, ErrorDescription> = {
  timeout: {
    label: 'Timeout',
    meaning: 'The receiver did not respond in time.',
    action: 'Respond first and process later: store the callback, send the status, then process it.',
  },
  dns: {
    label: 'Name not found',
    meaning: 'The host name of the address could not be resolved.',
    action: 'Check the spelling of the host and its DNS records.',
  },
  tls: {
    label: 'TLS failed',
    meaning: 'The TLS connection could not be established, often because of the certificate.',
    action:
      'Check that the certificate is valid for the host, not expired, and sent with its intermediate certificates.',
  },
  connect: {
    label: 'No connection',
    meaning: 'The receiver could not be reached, or it refused the connection.',
    action: 'Check that the server runs, that the port is correct, and that no firewall blocks it.',
  },
  reset: {
    label: 'Connection reset',
    meaning: 'The receiver closed the connection before it sent a response.',
    action: 'Look for crashes and restarts in the logs of the receiver and of its proxy.',
  },
  refused: {
    label: 'Address not allowed',
    meaning: 'The service sends nothing to this address, for example because it is private.',
    action: 'Use an address that can be reached from the internet.',
  },
  protocol: {
    label: 'Invalid response',
    meaning: 'The response of the receiver is not valid HTTP.',
    action: 'Check that the port and the scheme, http or https, are correct.',
  },
  status: {
    label: 'Failure status',
    meaning: 'The receiver returned a status that is not a success.',
    action: 'RCS callbacks need any 2xx, all others 200 or 202. A redirect is not followed: enter the final address.',
  },
};

const isErrorClass = (name: string): name is ErrorClass => Object.hasOwn(descriptions, name);

export const errorClasses = Object.keys(descriptions) as ErrorClass[];
export const errorOptions = errorClasses.map((value) => ({ value, label: descriptions[value].label }));
export const errorLabel = (name: string) => (isErrorClass(name) ? descriptions[name].label : name);

/** The label of an error, what happened, and what to do. */
export const describeError = (name: ErrorClass): ErrorDescription => descriptions[name];

type FailedDelivery = { error: ErrorClass | null; response_code: number | null; reason: string | null };

/** A short label for why a delivery failed or was skipped: `Status 500`, `Timeout`, its reason, or `Failed`. */
export function failureLabel({ error, response_code: code, reason }: FailedDelivery): string {
  if (error === 'status' && code !== null) return `Status ${code}`;
  return error === null ? (reason ?? 'Failed') : descriptions[error].label;
}
