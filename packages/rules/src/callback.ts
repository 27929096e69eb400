import type { EventName } from './event.js';
import { type JsonObject, stringifyExactJson } from './json.js';
import { sign, standardWebhooksHeaders, type StandardSigning } from './signature.js';
import { hasPlaceholders, renderBody, renderUri, parseTemplateValues } from './template.js';

export type Callback = {
  url: string;
  headers: Record<string, string>;
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
  webhookId: string;
  uri: string;
  /** The webhook's body template; null without one. */
  bodyTemplate: JsonObject | null;
  signing: boolean;
  /** Keys of the Standard Webhooks signature, `whsec_…` each; empty when the webhook has none. */
  signingSecrets: string[];
  bearer: string;
  startedAt: Date;
  deliveryId: string;
  /** A UUID of version 7, ordered by the time at which the events were received. */
  eventId: string;
  receivedAt: Date;
  attemptNumber: number;
  version: string;
  /** Adds `X-Ringback-Test: true`. */
  isTest?: boolean;
};

/**
 * The specification's time limit for an RCS callback, used for SMS too. It covers the DNS lookup, the request and the
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
  const { url, text, isUntemplated, warnings } = renderUriAndBody(input);
  const body = (isUntemplated ? input.encodedPlainBody : undefined) ?? Buffer.from(text, 'utf8');
  return { url, headers: allHeadersOf(input, body), body, isUntemplated, warnings: [...new Set(warnings)] };
}

type Templates = Pick<CallbackInput, 'eventName' | 'payload' | 'uri' | 'bodyTemplate'>;

/** Renders the url and the body of a callback from the templates of its webhook. */
export function renderUriAndBody(input: Templates) {
  const { url, ...rendered } = renderTemplates(input);
  return { url: normalizeUrl(url), ...rendered };
}

/**
 * The url as it is sent: in ASCII, without `/../`, and without a fragment. It is what the attempt shows, so that an owner
 * finds the same request target in a receiver's log. An invalid url stays as it is.
 */
function normalizeUrl(url: string): string {
  try {
    const parsed = new URL(url);
    if (parsed.hash !== '' || url.endsWith('#')) parsed.hash = '';
    return parsed.href;
  } catch {
    return url;
  }
}

function renderTemplates({ eventName, payload, bodyTemplate, uri }: Templates) {
  const plain = plainBody(eventName, payload);
  const plainResult = { text: plain, isUntemplated: true };
  if (bodyTemplate === null && !hasPlaceholders(uri)) return { url: uri, ...plainResult, warnings: [] };
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

function allHeadersOf(input: CallbackInput, body: Buffer): Record<string, string> {
  return {
    ...commonHeaders({ ...input, signedId: input.deliveryId, signedAt: input.startedAt, body }),
    'X-Ringback-Event': input.eventName,
    'X-Ringback-Delivery': input.deliveryId,
    'X-Ringback-Attempt': String(input.attemptNumber),
    // Callbacks may arrive out of order. These headers let a receiver order the events.
    'X-Ringback-Event-Id': input.eventId,
    'X-Ringback-Received-At': input.receivedAt.toISOString(),
    ...(input.isTest ? { 'X-Ringback-Test': 'true' } : {}),
  };
}

type CommonHeadersInput = StandardSigning & {
  webhookId: string;
  signing: boolean;
  bearer: string;
  version: string;
  body: Buffer;
};

/** The headers of every request to a receiver: callbacks and the requests of verifications. */
export function commonHeaders(input: CommonHeadersInput): Record<string, string> {
  const { webhookId, signing, bearer, version, body } = input;
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(body.byteLength),
    Authorization: `Bearer ${bearer}`,
    ...(signing ? { Signature: sign(body, webhookId), ...standardWebhooksHeaders(body, input) } : {}),
    'User-Agent': `Ringback/${version}`,
    'Accept-Encoding': 'identity',
  };
}

/** The body of a callback without a template: the flat report for SMS, `{event, payload}` for all other events. */
export function plainBody(event: EventName, payload: string): string {
  return event === 'sms:message:status' ? payload : `{"event":${JSON.stringify(event)},"payload":${payload}}`;
}
