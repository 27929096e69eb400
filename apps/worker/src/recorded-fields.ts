import { isIP } from 'node:net';
import {
  adviceFor,
  type Callback,
  compactHeaders,
  isSuccess,
  type Naming,
  type Outcome,
  parseUrl,
} from '@ringback/rules';
import type { AttemptFields, CallbackSecrets, DeliveryTask } from '@ringback/ledger';
import { maskHeaders, maskSecrets, secretsOf } from './mask-secrets.js';
import type { SendResult } from './sender/send.js';

/** An attempt whose details cannot be recorded. Without request headers, it says that its request was not stored. */
export const noDetails = {
  advice: null,
  warnings: [],
  remoteAddress: null,
  requestHeaders: null,
  requestBody: null,
  responseHeaders: null,
  responseBody: null,
};

/** A callback, the secrets that it was made with, and the result of its request. */
export type SentCallback = { callback: Callback; secrets: CallbackSecrets; sent: SendResult };

/** What is recorded of an attempt at least: what came of its request. */
export function resultFields(url: string, sent: SendResult): AttemptFields {
  const { outcome, durationMs, timings } = redactResult(url, sent);
  const { dnsMs, connectMs, tlsMs, firstByteMs } = timings;
  return {
    url,
    durationMs,
    outcome: outcome.type,
    statusCode: outcome.type === 'response' ? outcome.status : null,
    errorCode: outcome.type === 'response' ? null : outcome.code,
    dnsMs,
    connectMs,
    tlsMs,
    firstByteMs,
    advice: null,
    warnings: [],
    remoteAddress: null,
    requestHeaders: null,
    requestBody: null,
    responseHeaders: null,
    responseBody: null,
  };
}

/**
 * What is recorded of an attempt: its request, and the redacted result of the request. Secrets in the response are
 * masked. The request's body is stored only when it was made from a template; otherwise it can be derived from the
 * event.
 */
export function recordedFields(
  task: DeliveryTask,
  { callback, secrets, sent }: SentCallback,
  naming: Pick<Naming, 'headerNames' | 'headerPrefix'>,
): AttemptFields {
  const { shownUrl: url, warnings, headers, body, isUntemplated } = callback;
  const { remoteAddress, responseHeaders, responseBody } = sent;
  const outcome = redactOutcome(url, sent.outcome);
  const texts = secretsOf(secrets, task.uri);
  const maskedHeaders = responseHeaders && maskHeaders(responseHeaders, texts);
  return {
    ...resultFields(url, sent),
    warnings,
    advice: isSuccess(task.channel, outcome)
      ? null
      : adviceFor({ purpose: task.channel, outcome, url, responseHeaders: maskedHeaders, at: new Date() }),
    remoteAddress,
    requestHeaders: compactHeaders(
      headers,
      {
        eventName: task.eventName,
        deliveryId: task.id,
        eventId: task.eventId,
        receivedAt: task.receivedAt,
        attemptNumber: task.attemptCount + 1,
      },
      naming,
    ),
    requestBody: isUntemplated ? null : body.toString('utf8'),
    responseHeaders: maskedHeaders,
    responseBody: responseBody && maskSecrets(responseBody, texts),
  };
}

type Result = Pick<SendResult, 'outcome' | 'durationMs' | 'timings'>;

const durationStepMs = 250;

/**
 * Without this, a webhook would map the operator's network: which names exist there, and which hosts respond. So a name
 * with a forbidden address looks like one that does not exist, and all failures of a proxy to connect look the same.
 * Their timings are left out, and their duration is rounded up to a multiple of 250 ms, as for every name that cannot
 * be resolved. Logs and metrics get the unchanged result.
 */
function redactResult(url: string, { outcome, durationMs, timings }: Result): Result {
  const redacted = redactOutcome(url, outcome);
  const isOfProxy = outcome.type !== 'response' && outcome.code.startsWith('PROXY_');
  if (!isOfProxy && redacted.type !== 'dns') return { outcome, durationMs, timings };
  const noTimings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
  return {
    outcome: redacted,
    durationMs: Math.max(1, Math.ceil(durationMs / durationStepMs)) * durationStepMs,
    timings: noTimings,
  };
}

/** The outcome that a customer may see. */
export function redactOutcome(url: string, outcome: Outcome): Outcome {
  if (outcome.type === 'response') return outcome;
  if (outcome.code === 'REFUSED_ADDRESS' && !hasIpHost(url)) return { type: 'dns', code: 'ENOTFOUND' };
  const isHiddenFailure = outcome.code.startsWith('PROXY_') && outcome.code !== 'PROXY_DENIED';
  return isHiddenFailure ? { type: 'connect', code: 'PROXY_FAILED' } : outcome;
}

/** Whether the host is an IP address. A customer who gives an address already knows it. */
function hasIpHost(url: string): boolean {
  return isIP(parseUrl(url)?.hostname.replace(/^\[|\]$/g, '') ?? '') !== 0;
}
