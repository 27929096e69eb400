import { type Callback, compactHeaders } from '@ringback/callbacks';
import type { AttemptRecord, DeliveryTask } from '@ringback/database';
import type { Sent } from '../send/send.js';
import { maskSecrets } from './mask-secrets.js';
import { shownCall } from './shown-call.js';

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

/** What is kept of how a call went. */
export function callOf(task: DeliveryTask, url: string, sent: Sent) {
  const { outcome, durationMs } = shownCall(url, sent);
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
 * What is kept of a request and its response so that both can be shown. The event is kept already, so the body only
 * where a template made another one.
 */
export function exchangeOf(task: DeliveryTask, { url, headers, body, isPlain }: Callback, sent: Sent): Exchange {
  return {
    ...shownCall(url, sent).timings,
    remoteAddress: sent.remoteAddress,
    requestHeaders: compactHeaders(headers, { ...task, deliveryId: task.id, attempt: task.attempts + 1 }),
    requestBody: isPlain ? null : body.toString('utf8'),
    responseHeaders: sent.headers && maskHeaders(sent.headers, secretsOf(task)),
  };
}

const ownTokens = /\brb_(?:access|platform)_[\w-]+/g;

/** Secrets of the receiver: the token, the keys of signatures, the code of its challenges, tokens of ours in its uri. */
const secretsOf = ({ bearer, signingSecrets, verificationCode, uri }: DeliveryTask): string[] => [
  bearer,
  ...(verificationCode === null ? [] : [verificationCode]),
  ...signingSecrets.map((secret) => secret.replace(/^whsec_/, '')),
  ...(uri.match(ownTokens) ?? []),
];

function maskHeaders(headers: Record<string, string>, secrets: string[]): Record<string, string> {
  const names = Object.keys(headers);
  const texts = maskSecrets([...names, ...Object.values(headers)], secrets);
  return Object.fromEntries(names.map((name, index) => [texts[index] ?? name, texts[names.length + index] ?? '']));
}
