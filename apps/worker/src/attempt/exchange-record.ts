import { type Callback, compactHeaders } from '@ringback/callbacks';
import type { AttemptRecord, DeliveryTask } from '@ringback/database';
import type { Sent } from '../send/send.js';
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

/** The columns of an attempt that say how its call went. Secrets of the receiver are masked. */
export function callRecord(task: DeliveryTask, url: string, sent: Sent) {
  const { outcome, durationMs } = redactCall(url, sent);
  const { answer } = sent;
  return {
    durationMs,
    outcome: outcome.type,
    statusCode: outcome.type === 'response' ? outcome.status : null,
    errorCode: outcome.type === 'response' ? null : outcome.code,
    answer: answer && (maskSecrets([answer], secretsOf(task))[0] ?? null),
  };
}

/**
 * The columns of an attempt that hold its request and response. The body of the request is stored only where a template
 * made it: otherwise it follows from the event.
 */
export function exchangeRecord(task: DeliveryTask, { url, headers, body, isPlain }: Callback, sent: Sent): Exchange {
  return {
    ...redactCall(url, sent).timings,
    remoteAddress: sent.remoteAddress,
    requestHeaders: compactHeaders(headers, { ...task, deliveryId: task.id, attempt: task.attempts + 1 }),
    requestBody: isPlain ? null : body.toString('utf8'),
    responseHeaders: sent.headers && maskHeaders(sent.headers, secretsOf(task)),
  };
}

const ourTokens = /\brb_(?:access|platform)_[\w-]+/g;

/** The secrets that a callback carries: the token, signing keys, the verification code, and our tokens in the uri. */
const secretsOf = ({ bearer, signingSecrets, verificationCode, uri }: DeliveryTask): string[] => [
  bearer,
  ...(verificationCode === null ? [] : [verificationCode]),
  ...signingSecrets.map((secret) => secret.replace(/^whsec_/, '')),
  ...(uri.match(ourTokens) ?? []),
];

function maskHeaders(headers: Record<string, string>, secrets: string[]): Record<string, string> {
  const names = Object.keys(headers);
  const texts = maskSecrets([...names, ...Object.values(headers)], secrets);
  return Object.fromEntries(names.map((name, index) => [texts[index] ?? name, texts[names.length + index] ?? '']));
}
