import type { Attempt, ErrorClass } from '../api/schemas.js';

const labels: Record<ErrorClass, string> = {
  timeout: 'Timeout',
  dns: 'Name not found',
  tls: 'TLS failed',
  connect: 'No connection',
  reset: 'Connection reset',
  refused: 'Address not allowed',
  protocol: 'Invalid response',
  status: 'Failure status',
};

const isErrorClass = (name: string): name is ErrorClass => Object.hasOwn(labels, name);

export const errorClasses = Object.keys(labels) as ErrorClass[];
export const errorOptions = errorClasses.map((value) => ({ value, label: labels[value] }));
export const errorLabel = (name: string) => (isErrorClass(name) ? labels[name] : name);

const addressErrors = new Set<ErrorClass>(['dns', 'connect', 'refused', 'protocol']);
const addressCodes = /ALTNAME|HOSTNAME_MISMATCH|WRONG_VERSION_NUMBER/;

/** Whether another address in the webhook is the likely remedy for a failed attempt. */
export function isAddressProblem({ error, error_code, response }: Pick<Attempt, 'error' | 'error_code' | 'response'>) {
  if (error === 'status') {
    const code = response?.code ?? 0;
    return (code >= 300 && code < 400) || [404, 405, 410].includes(code);
  }
  return error !== null && (addressErrors.has(error) || addressCodes.test(error_code ?? ''));
}

type FailedDelivery = { error: ErrorClass | null; response_code: number | null; reason: string | null };

/** A short label for why a delivery failed or was skipped: `Status 500`, `Timeout`, its reason, or `Failed`. */
export function failureLabel({ error, response_code: code, reason }: FailedDelivery): string {
  if (error === 'status' && code !== null) return `Status ${code}`;
  return error === null ? (reason ?? 'Failed') : labels[error];
}
