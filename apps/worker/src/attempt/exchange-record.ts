import { type Callback, keptHeaders } from '@ringback/callbacks';
import type { AttemptRecord, DeliveryTask } from '@ringback/database';
import type { Sent } from '../send/send.js';
import { hideBearer } from './hide-bearer.js';

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
export function callOf(task: DeliveryTask, { outcome, durationMs, answer }: Sent) {
  return {
    durationMs,
    outcome: outcome.type,
    statusCode: outcome.type === 'response' ? outcome.status : null,
    errorCode: outcome.type === 'response' ? null : outcome.code,
    answer: answer && hideBearer(answer, task.bearer),
  };
}

/**
 * What is kept of a request and its response so that both can be shown. The event is kept already, so the body only
 * where a template made another one.
 */
export function exchangeOf(task: DeliveryTask, { headers, body, isPlain }: Callback, sent: Sent): Exchange {
  const hide = (value: string) => hideBearer(value, task.bearer);
  const answered = sent.headers && Object.entries(sent.headers).map(([name, value]) => [hide(name), hide(value)]);
  return {
    ...sent.timings,
    remoteAddress: sent.remoteAddress,
    requestHeaders: keptHeaders(headers, { ...task, deliveryId: task.id, attempt: task.attempts + 1 }),
    requestBody: isPlain ? null : body.toString('utf8'),
    responseHeaders: answered && Object.fromEntries(answered),
  };
}
