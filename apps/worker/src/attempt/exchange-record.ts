import { type Callback, compactHeaders } from '@ringback/callbacks';
import type { AttemptRecord, DeliveryTask } from '@ringback/database';
import type { SendResult } from '../send/send.js';
import { maskSecrets } from './mask-secrets.js';
import { redactCall } from './redact-call.js';

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

/** The columns of an attempt that hold the outcome of its request. Secrets in the response are masked. */
export function callRecord(task: DeliveryTask, url: string, sent: SendResult) {
  const { outcome, durationMs } = redactCall(url, sent);
  const { responseBody } = sent;
  return {
    durationMs,
    outcome: outcome.type,
    statusCode: outcome.type === 'response' ? outcome.status : null,
    errorCode: outcome.type === 'response' ? null : outcome.code,
    responseBody: responseBody && (maskSecrets([responseBody], secretsOf(task))[0] ?? null),
  };
}

/**
 * The columns of an attempt that hold its request and response. The request's body is stored only when it was made from a
 * template; otherwise it can be derived from the event.
 */
export function exchangeRecord(
  task: DeliveryTask,
  { url, headers, body, isPlain }: Callback,
  sent: SendResult,
): Exchange {
  return {
    ...redactCall(url, sent).timings,
    remoteAddress: sent.remoteAddress,
    requestHeaders: compactHeaders(headers, { ...task, deliveryId: task.id, attempt: task.attempts + 1 }),
    requestBody: isPlain ? null : body.toString('utf8'),
    responseHeaders: sent.responseHeaders && maskHeaders(sent.responseHeaders, secretsOf(task)),
  };
}

const ringbackTokens = /\brb_(?:access|platform)_[\w-]+/g;

/** The secrets that a callback carries: Bearer, signing secrets, verification code, and Ringback's tokens in the uri. */
const secretsOf = ({ bearer, signingSecrets, verificationCode, uri }: DeliveryTask): string[] => [
  bearer,
  ...(verificationCode === null ? [] : [verificationCode]),
  ...signingSecrets.map((secret) => secret.replace(/^whsec_/, '')),
  ...(uri.match(ringbackTokens) ?? []),
];

function maskHeaders(headers: Record<string, string>, secrets: string[]): Record<string, string> {
  const names = Object.keys(headers);
  const texts = maskSecrets([...names, ...Object.values(headers)], secrets);
  return Object.fromEntries(names.map((name, index) => [texts[index] ?? name, texts[names.length + index] ?? '']));
}
