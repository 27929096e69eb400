import { isIP } from 'node:net';
import {
  adviceFor,
  type Callback,
  compactHeaders,
  decodeUserinfo,
  isSuccess,
  type Naming,
  type Outcome,
  parseUrl,
} from '@ringback/rules';
import type { AttemptFields, CallbackSecrets, DeliveryTask } from '@ringback/ledger';
import { setBounded } from '@ringback/process';
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
export function outcomeFields(url: string, sent: SendResult): AttemptFields {
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
    ...outcomeFields(url, sent),
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

const ringbackTokens = /\brb_(?:access|platform|session|portal)_[\w-]+/g;

/**
 * The secrets that a receiver knows and may echo: Bearer token, user and password, signing secrets, verification code,
 * and Ringback's tokens in the uri.
 */
const secretsOf = ({ bearer, userinfo, signingSecrets, verificationCode }: CallbackSecrets, uri: string): string[] => [
  bearer,
  ...(userinfo === null ? [] : passwordForms(userinfo)),
  ...(verificationCode === null ? [] : [verificationCode]),
  ...signingSecrets.map((secret) => secret.replace(/^whsec_/, '')),
  ...(uri.match(ringbackTokens) ?? []),
];

/** `user:password`, whose base64 is what Basic authentication sends, and the password alone. */
function passwordForms(userinfo: string): string[] {
  const decoded = decodeUserinfo(userinfo).toString('utf8');
  return [decoded, decoded.slice(decoded.indexOf(':') + 1)];
}

/** Masks the secrets of a webhook in the headers of its receiver's response. */
export const maskResponseHeaders = (
  headers: Record<string, string>,
  secrets: CallbackSecrets,
  uri: string,
): Record<string, string> => maskHeaders(headers, secretsOf(secrets, uri));

function maskHeaders(headers: Record<string, string>, secrets: string[]): Record<string, string> {
  let mayHold = false;
  for (const name in headers) mayHold ||= mayHoldSecret(name, secrets) || mayHoldSecret(headers[name] ?? '', secrets);
  if (!mayHold) return headers;
  const masked = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const maskedName = maskSecrets(name, secrets);
    const earlier = masked.get(maskedName);
    const maskedValue = maskSecrets(value, secrets);
    // Names that hold only secrets become equal.
    masked.set(maskedName, earlier === undefined ? maskedValue : `${earlier}, ${maskedValue}`);
  }
  return Object.fromEntries(masked);
}

type Result = Pick<SendResult, 'outcome' | 'durationMs' | 'timings'>;

const durationStepMs = 250;

/**
 * Without this, a webhook would map the operator's network: which names exist there, and which hosts respond. So a name
 * with a forbidden address looks like one that does not exist, and all failures of a proxy to connect look the same.
 * Their timings are left out, and their duration is rounded up to a multiple of 250 ms, as for every name that cannot be
 * resolved. Logs and metrics get the unchanged result.
 */
function redactResult(url: string, { outcome, durationMs, timings }: Result): Result {
  const redacted = redactOutcome(url, outcome);
  const hidesTiming = redacted !== outcome || redacted.type === 'dns';
  if (!hidesTiming) return { outcome, durationMs, timings };
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
  if (outcome.code === 'PROXY_DENIED') return { ...outcome };
  return outcome.code.startsWith('PROXY_') ? { type: 'connect', code: 'PROXY_FAILED' } : outcome;
}

/** Whether the host is an IP address. A customer who gives an address already knows it. */
function hasIpHost(url: string): boolean {
  return isIP(parseUrl(url)?.hostname.replace(/^\[|\]$/g, '') ?? '') !== 0;
}

const mask = '[secret]';
// Masking a shorter secret would mask ordinary text.
const minSecretLength = 4;
// Of a secret that is cut off at the end of a text, this many characters are recognised, or half of a shorter one.
const minTruncatedLength = 8;

/**
 * Masks secrets of at least 4 characters in a receiver's text before it is stored. Finds secrets that are plain,
 * percent-encoded, escaped as in JSON or base64, also when they are cut off at the end.
 */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  if (!mayHoldSecret(text, secrets)) return text;
  const forms = secrets.flatMap((secret) => formsOf(secret).all);
  return forms.reduce((kept, form) => kept.replaceAll(form, mask), forms.reduce(maskTruncated, text));
}

/** Whether a text has the beginning of a secret. If not, as nearly always, it has nothing to mask. */
const mayHoldSecret = (text: string, secrets: readonly string[]): boolean =>
  secrets.some((secret) => formsOf(secret).beginnings.some((beginning) => text.includes(beginning)));

function maskTruncated(text: string, form: string): string {
  const start = text.lastIndexOf(beginningOf(form));
  return start !== -1 && form.startsWith(text.slice(start)) ? text.slice(0, start) + mask : text;
}

const beginningOf = (form: string) => form.slice(0, Math.min(minTruncatedLength, Math.ceil(form.length / 2)));

/**
 * The forms in which a receiver may repeat a secret, the longest first, and the different beginnings of them. A secret
 * under 4 characters has none.
 */
type Forms = { all: string[]; beginnings: string[] };

const cache = new Map<string, Forms>();
const maxCachedSecrets = 4_000;

function formsOf(secret: string): Forms {
  const cached = cache.get(secret);
  if (cached) return cached;
  const all = secret.length < minSecretLength ? [] : createForms(secret);
  const forms = { all, beginnings: [...new Set(all.map(beginningOf))] };
  setBounded(cache, secret, forms, maxCachedSecrets);
  return forms;
}

function createForms(secret: string): string[] {
  const percent = encodeURIComponent(secret);
  const base64 = Buffer.from(secret).toString('base64');
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replace(/%../g, (escape) => escape.toLowerCase()),
    percent.replaceAll('%20', '+'),
    base64,
    encodeURIComponent(base64),
    Buffer.from(secret).toString('base64url'),
  ];
  return [...new Set(forms)].sort((left, right) => right.length - left.length);
}
