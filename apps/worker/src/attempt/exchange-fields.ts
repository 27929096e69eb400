import { type Callback, compactHeaders } from '@ringback/callbacks';
import type { AttemptRecord, DeliveryTask } from '@ringback/database';
import type { SendResult } from '../send/send.js';
import { maskSecrets } from './mask-secrets.js';
import { redactResult } from './redact-result.js';

type Exchange = Pick<
  AttemptRecord,
  | 'dnsMs'
  | 'connectMs'
  | 'tlsMs'
  | 'firstByteMs'
  | 'remoteAddress'
  | 'requestHeaders'
  | 'requestBody'
  | 'responseHeaders'
>;

/**
 * An attempt's connection times and remote address, the headers and body of the request, and the headers of the
 * response, in which secrets are masked. The request's body is stored only when it was made from a template; otherwise
 * it can be derived from the event.
 */
export function exchangeFields(
  task: DeliveryTask,
  { url, headers, body, isPlain }: Callback,
  sent: SendResult,
): Exchange {
  return {
    ...redactResult(url, sent).timings,
    remoteAddress: sent.remoteAddress,
    requestHeaders: compactHeaders(headers, { ...task, deliveryId: task.id, attemptNumber: task.attemptCount + 1 }),
    requestBody: isPlain ? null : body.toString('utf8'),
    responseHeaders: sent.responseHeaders && maskHeaders(sent.responseHeaders, secretsOf(task)),
  };
}

/**
 * An attempt's duration, outcome, status code or error code, and the beginning of the response's body, in which secrets
 * are masked.
 */
export function outcomeFields(task: DeliveryTask, url: string, sent: SendResult) {
  const { outcome, durationMs } = redactResult(url, sent);
  const { responseBody } = sent;
  return {
    durationMs,
    outcome: outcome.type,
    statusCode: outcome.type === 'response' ? outcome.status : null,
    errorCode: outcome.type === 'response' ? null : outcome.code,
    responseBody: responseBody && (maskSecrets([responseBody], secretsOf(task))[0] ?? null),
  };
}

const ringbackTokens = /\brb_(?:access|platform)_[\w-]+/g;

/**
 * The secrets that a callback carries: Bearer, signing secrets, verification code, and Ringback's tokens in the uri.
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
