import { createHmac } from 'node:crypto';
import { decodeUserinfo, renderUri, withoutMask } from './callback-uri.js';
import { parseUrl } from './egress.js';
import type { EventName } from './event.js';
import { type JsonObject, stringifyExactJson } from './json.js';
import { addTemplatedHeaders, defaultHeaderPrefix, type HeaderNames, headerNamesOf, type Naming } from './naming.js';
import { renderBody, parseTemplateValues } from './template.js';

type Headers = Record<string, string>;

export type Callback = {
  /** The url of the request. It has no user and password; the headers have them. */
  url: string;
  /** The url as the attempt shows it, with `********` in place of a user and password. */
  shownUrl: string;
  headers: Headers;
  body: Buffer;
  /** The body is the event itself, not a rendered template. */
  isUntemplated: boolean;
  warnings: string[];
};

export type CallbackInput = {
  eventName: EventName;
  payload: string;
  /** The bytes of `plainBody`, if the caller already has them. */
  encodedPlainBody?: Buffer | undefined;
  accountId: string;
  webhookId: string;
  uri: string;
  /** The webhook's body template; null without one. */
  bodyTemplate: JsonObject | null;
  signing: boolean;
  /** Keys of the Standard Webhooks signature, `whsec_…` each; empty when the webhook has none. */
  signingSecrets: string[];
  bearer: string;
  /** `user:password` of the uri, which is sent instead of the bearer token. */
  userinfo?: string | null;
  startedAt: Date;
  deliveryId: string;
  /** A UUID of version 7, ordered by the time at which the events were received. */
  eventId: string;
  receivedAt: Date;
  attemptNumber: number;
  naming: Naming;
  /** Adds `X-Ringback-Test: true`. */
  isTest?: boolean;
};

/**
 * The time limit of a callback (docs/reference/callbacks.md). It covers the DNS lookup, the request and the
 * whole response. Once the headers have arrived, a timeout no longer changes the outcome.
 */
export const defaultCallbackTimeoutMs = 3_000;

const maxBodyBytes = 256 * 1024;

/**
 * Builds the callback request of one attempt (docs/reference/callbacks.md#the-request). The body is serialised once:
 * the bytes that are signed are the bytes that are sent. A rendered body over 256 KiB is replaced by the event, and
 * values in the uri beyond 256 Ki characters are left out, each with a warning.
 */
export function composeCallback(input: CallbackInput): Callback {
  const { url: shownUrl, text, isUntemplated, warnings } = renderUriAndBody(input);
  const url = input.userinfo == null ? shownUrl : withoutMask(shownUrl);
  const body = (isUntemplated ? input.encodedPlainBody : undefined) ?? Buffer.from(text, 'utf8');
  return { url, shownUrl, headers: allHeadersOf(input, body), body, isUntemplated, warnings: [...new Set(warnings)] };
}

type Templates = Pick<CallbackInput, 'eventName' | 'payload' | 'uri' | 'bodyTemplate'>;

/** Renders the url and the body of a callback from the templates of its webhook. */
export function renderUriAndBody(input: Templates) {
  const { url, ...rendered } = renderTemplates(input);
  return { url: normalizeUrl(url), ...rendered };
}

/**
 * The url as it is sent: in ASCII and without `/../`. It is what the attempt shows, so that an owner finds the same
 * request target in a receiver's log. An invalid url stays as it is.
 */
const normalizeUrl = (url: string): string => parseUrl(url)?.href ?? url;

function renderTemplates({ eventName, payload, bodyTemplate, uri }: Templates) {
  const plain = plainBody(eventName, payload);
  const plainResult = { text: plain, isUntemplated: true };
  if (bodyTemplate === null && !/\{\{|#/.test(uri)) return { url: uri, ...plainResult, warnings: [] };
  const values = parseTemplateValues(plain);
  const { value: url, warnings, tooLarge } = renderUri(uri, values);
  if (tooLarge) warnings.push('the values in the uri are too large; they were left out');
  if (bodyTemplate === null) return { url, ...plainResult, warnings };
  // renderBody stops at 256 Ki characters of values, so an event cannot exhaust the memory.
  const rendered = renderBody(bodyTemplate, values);
  const text = stringifyExactJson(rendered.value);
  warnings.push(...rendered.warnings);
  if (!rendered.tooLarge && Buffer.byteLength(text) <= maxBodyBytes)
    return { url, text, isUntemplated: false, warnings };
  warnings.push('the rendered body is too large; the plain event was sent');
  return { url, ...plainResult, warnings };
}

function allHeadersOf(input: CallbackInput, body: Buffer): Headers {
  const { naming, webhookId, signing, bearer, userinfo, signingSecrets, deliveryId, startedAt } = input;
  const { headerNames, templates } = naming;
  const signed = { signedId: deliveryId, signedAt: startedAt, signingSecrets };
  const headers = commonHeaders({ webhookId, signing, bearer, userinfo, naming, body, ...signed });
  headers[headerNames.event] = input.eventName;
  headers[headerNames.delivery] = deliveryId;
  headers[headerNames.attempt] = String(input.attemptNumber);
  // Callbacks may arrive out of order. These headers let a receiver order the events.
  headers[headerNames.eventId] = input.eventId;
  headers[headerNames.receivedAt] = input.receivedAt.toISOString();
  if (input.isTest) headers[headerNames.test] = 'true';
  if (templates.length > 0) addTemplatedHeaders(headers, templates, headerValuesOf(input));
  return headers;
}

const headerValuesOf = (input: CallbackInput) => ({
  event: input.eventName,
  event_id: input.eventId,
  delivery_id: input.deliveryId,
  attempt: input.attemptNumber,
  account_id: input.accountId,
  webhook_id: input.webhookId,
  timestamp: Math.floor(input.startedAt.getTime() / 1000),
});

type CommonHeadersInput = StandardSigning & {
  webhookId: string;
  signing: boolean;
  bearer: string;
  userinfo?: string | null | undefined;
  naming: Naming;
  body: Buffer;
};

/** The headers of every request to a receiver: callbacks and the requests of verifications. */
export function commonHeaders(input: CommonHeadersInput): Headers {
  const { webhookId, signing, bearer, userinfo = null, naming, body } = input;
  const headers: Headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(body.byteLength),
    Authorization: userinfo === null ? `Bearer ${bearer}` : `Basic ${decodeUserinfo(userinfo).toString('base64')}`,
  };
  if (signing) {
    headers['Signature'] = sign(body, webhookId);
    addStandardWebhooksHeaders(headers, body, input);
  }
  return Object.assign(headers, naming.constantHeaders);
}

/** The body of a callback without a template: the flat report for SMS, `{event, payload}` for all other events. */
export function plainBody(event: EventName, payload: string): string {
  return event === 'sms:message:status' ? payload : `{"event":${JSON.stringify(event)},"payload":${payload}}`;
}

/**
 * The `Signature` header: the HMAC-SHA256 of the body's bytes in lower-case hex. The key is the webhook's id as text.
 */
export function sign(body: Uint8Array, webhookId: string): string {
  return createHmac('sha256', webhookId).update(body).digest('hex');
}

/** What a Standard Webhooks signature covers in addition to the body, and its keys, each `whsec_…`. */
type StandardSigning = { signedId: string; signedAt: Date; signingSecrets: string[] };

/**
 * Adds the headers of Standard Webhooks: the message id, the time in Unix seconds, and the signatures, separated by
 * spaces. A signature is `v1,` and the base64 HMAC-SHA256 of `<id>.<time>.<body>`, one for each key. Without a key it
 * adds nothing.
 */
function addStandardWebhooksHeaders(
  headers: Headers,
  body: Uint8Array,
  { signedId, signedAt, signingSecrets }: StandardSigning,
): void {
  if (signingSecrets.length === 0) return;
  const timestamp = String(Math.floor(signedAt.getTime() / 1000));
  const signatures = signingSecrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${signedId}.${timestamp}.`).update(body).digest('base64')}`;
  });
  headers['webhook-id'] = signedId;
  headers['webhook-timestamp'] = timestamp;
  headers['webhook-signature'] = signatures.join(' ');
}

/** A request as it was sent, with its token masked. Headers and body are null when they were not stored. */
export type SentRequest = { method: 'POST'; url: string; headers: Record<string, string> | null; body: string | null };

type SentDelivery = {
  id: string;
  eventName: EventName;
  eventId: string;
  webhookId: string;
  payload: string;
  receivedAt: Date;
};

/** `requestHeaders` is the result of `compactHeaders`; `requestBody` is null when it was the plain body. */
type StoredAttempt = { number: number; url: string; requestHeaders: unknown; requestBody: string | null };

/** Restores the request of a stored attempt. If no headers were stored, headers and body are null. */
export function restoreRequest(delivery: SentDelivery, attempt: StoredAttempt): SentRequest {
  const { url, number, requestHeaders } = attempt;
  if (typeof requestHeaders !== 'object' || requestHeaders === null)
    return { method: 'POST', url, headers: null, body: null };
  const body = attempt.requestBody ?? plainBody(delivery.eventName, delivery.payload);
  const stored = Object.entries(requestHeaders).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : null,
  ]);
  const headers = expandHeaders(Object.fromEntries(stored), {
    ...delivery,
    deliveryId: delivery.id,
    attemptNumber: number,
    body,
  });
  return { method: 'POST', url, headers, body };
}

export type HeadersInput = {
  eventName: EventName;
  deliveryId: string;
  eventId: string;
  receivedAt: Date;
  attemptNumber: number;
};

/** Stands in for the `Authorization` header that was sent. */
export const maskedBearer = 'Bearer ********';
const maskedBasic = 'Basic ********';
const maskAuthorization = (sent: string) => (sent.startsWith('Basic ') ? maskedBasic : maskedBearer);

/** The headers that nearly every callback has, without those that are derived from its body. */
function defaultHeaders(
  { eventName, deliveryId, eventId, receivedAt, attemptNumber }: HeadersInput,
  names: HeaderNames,
): Headers {
  return {
    'Content-Type': 'application/json',
    Authorization: maskedBearer,
    'Accept-Encoding': 'identity',
    [names.event]: eventName,
    [names.delivery]: deliveryId,
    [names.attempt]: String(attemptNumber),
    [names.eventId]: eventId,
    [names.receivedAt]: receivedAt.toISOString(),
  };
}

/** The key under which compact headers keep a prefix that is not the default one. No header has this name. */
const prefixKey = '';

const bodyHeaders = ['Content-Length', 'Signature'];
// `webhook-id` is the delivery's id, and is sent whenever `webhook-signature` is.
const derivedHeaders = new Set([...bodyHeaders, 'webhook-id']);

/**
 * The part of a callback's headers that must be stored so that `expandHeaders` can restore all of them: the headers
 * that differ from the defaults, null for each default header that was not sent, and the prefix if it is another one,
 * so that an attempt is shown as it was sent after the prefix has changed. It never contains the token.
 */
export function compactHeaders(
  headers: Headers,
  input: HeadersInput,
  { headerNames, headerPrefix }: Pick<Naming, 'headerNames' | 'headerPrefix'>,
): Record<string, string | null> {
  const defaults = defaultHeaders(input, headerNames);
  const compact: Record<string, string | null> =
    headerPrefix === defaultHeaderPrefix ? {} : { [prefixKey]: headerPrefix };
  for (const name in headers) {
    const sent = headers[name];
    const value = name === 'Authorization' && sent !== undefined ? maskAuthorization(sent) : sent;
    if (value !== undefined && value !== defaults[name] && !derivedHeaders.has(name)) compact[name] = value;
  }
  for (const name in defaults) if (headers[name] === undefined) compact[name] = null;
  for (const name of bodyHeaders) if (headers[name] === undefined) compact[name] = null;
  return compact;
}

/** Restores the headers of a callback from the result of `compactHeaders`, with the token masked. */
export function expandHeaders(
  { [prefixKey]: prefix, ...compact }: Record<string, string | null>,
  input: HeadersInput & { webhookId: string; body: string },
): Headers {
  const body = Buffer.from(input.body, 'utf8');
  const all: Record<string, string | null> = {
    ...defaultHeaders(input, headerNamesOf(prefix ?? defaultHeaderPrefix)),
    'Content-Length': String(body.byteLength),
    Signature: sign(body, input.webhookId),
    ...(compact['webhook-signature'] ? { 'webhook-id': input.deliveryId } : {}),
    ...compact,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null));
}
