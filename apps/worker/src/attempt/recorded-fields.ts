import { type Callback, compactHeaders } from '@ringback/rules';
import type { DeliveryTask, TestCallAttempt } from '@ringback/ledger';
import type { SendResult } from '../send/send.js';
import { maskSecrets } from './mask-secrets.js';
import { redactResult } from './redact-result.js';

/**
 * What is recorded of an attempt: its request, and the redacted result of the request. Secrets in the response are
 * masked. The request's body is stored only when it was made from a template; otherwise it can be derived from the
 * event.
 */
export function recordedFields(
  task: DeliveryTask,
  { url, warnings, headers, body, isUntemplated }: Callback,
  sent: SendResult,
): Omit<TestCallAttempt, 'startedAt'> {
  const { outcome, durationMs, timings } = redactResult(url, sent);
  const { remoteAddress, responseHeaders, responseBody } = sent;
  const secrets = secretsOf(task);
  return {
    url,
    warnings,
    durationMs,
    outcome: outcome.type,
    statusCode: outcome.type === 'response' ? outcome.status : null,
    errorCode: outcome.type === 'response' ? null : outcome.code,
    ...timings,
    remoteAddress,
    requestHeaders: compactHeaders(headers, { ...task, deliveryId: task.id, attemptNumber: task.attemptCount + 1 }),
    requestBody: isUntemplated ? null : body.toString('utf8'),
    responseHeaders: responseHeaders && maskHeaders(responseHeaders, secrets),
    responseBody: responseBody && (maskSecrets([responseBody], secrets)[0] ?? null),
  };
}

const ringbackTokens = /\brb_(?:access|platform|session|portal)_[\w-]+/g;

/**
 * The secrets that a receiver knows and may echo: Bearer token, signing secrets, verification code, and Ringback's
 * tokens in the uri.
 */
const secretsOf = ({ bearer, signingSecrets, verificationCode, uri }: DeliveryTask): string[] => [
  bearer,
  ...(verificationCode === null ? [] : [verificationCode]),
  ...signingSecrets.map((secret) => secret.replace(/^whsec_/, '')),
  ...(uri.match(ringbackTokens) ?? []),
];

function maskHeaders(headers: Record<string, string>, secrets: string[]): Record<string, string> {
  const names = Object.keys(headers);
  const texts = maskSecrets([...names, ...Object.values(headers)], secrets);
  const masked = new Map<string, string>();
  for (const [index, value] of texts.slice(names.length).entries()) {
    const name = texts[index] ?? '';
    const earlier = masked.get(name);
    // Names that hold only secrets become equal.
    masked.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return Object.fromEntries(masked);
}
