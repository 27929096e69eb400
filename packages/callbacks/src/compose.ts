import { bodyOf, type EventName } from './event.js';
import { exactJsonText, JsonNumber, parseExactJson } from './exact-json.js';
import type { JsonObject } from './path.js';
import { sign, standardHeaders, type StandardSigning } from './signature.js';
import { hasPlaceholders, renderBody, renderUri } from './template.js';

export type Callback = {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** The body is the plain event's. */
  isPlain: boolean;
  warnings: string[];
};

export type CallbackInput = {
  event: EventName;
  /** JSON text of an object. */
  payload: string;
  /** The plain event's bytes, where somebody has them already. */
  plain?: Buffer | undefined;
  webhookId: string;
  uri: string;
  /** The body template of a composed webhook. */
  template: JsonObject | null;
  signing: boolean;
  /** Keys of the Standard Webhooks signature, `whsec_…` each; none without. */
  signingSecrets: string[];
  bearer: string;
  /** When the attempt is made. */
  at: Date;
  deliveryId: string;
  /** A UUID of version 7: ordered as the events came in. */
  eventId: string;
  /** When the event came in. */
  receivedAt: Date;
  /** 1 is the first. */
  attempt: number;
  version: string;
  /** Somebody tries the webhook: the callback is marked. */
  isTest?: boolean;
};

const mostBytes = 256 * 1024;

/**
 * The callback request of one attempt (behaviour: the request). The body is serialised once: the same bytes are signed
 * and sent. A body without a template is the event's text as it came; a rendered one beyond 256 KiB gives way to it,
 * and so much in a uri is left out, with a warning each.
 */
export function compose(input: CallbackInput): Callback {
  const { url, text, isPlain, warnings } = render(input);
  const body = (isPlain ? input.plain : undefined) ?? Buffer.from(text, 'utf8');
  return { url, headers: allHeadersOf(input, body), body, isPlain, warnings: [...new Set(warnings)] };
}

/** Address and body of a callback, its templates filled in. */
export function render(input: Pick<CallbackInput, 'event' | 'payload' | 'uri' | 'template'>) {
  const { event, payload, template, uri } = input;
  const plain = bodyOf(event, payload);
  const asItCame = { text: plain, isPlain: true };
  if (template === null && !hasPlaceholders(uri)) return { url: uri, ...asItCame, warnings: [] };
  const scope = parseScope(plain);
  const url = renderUri(uri, scope);
  if (url.tooLarge) url.warnings.push('the values in the uri are too large; they were left out');
  if (template === null) return { url: url.value, ...asItCame, warnings: url.warnings };
  const rendered = renderBody(template, scope);
  // What is too large while being rendered is bounded there, so that no event can exhaust the memory.
  const text = exactJsonText(rendered.value);
  const warnings = [...url.warnings, ...rendered.warnings];
  if (!rendered.tooLarge && Buffer.byteLength(text) <= mostBytes)
    return { url: url.value, text, isPlain: false, warnings };
  warnings.push('the rendered body is too large; the plain event was sent');
  return { url: url.value, ...asItCame, warnings };
}

/** What the placeholders of an event are looked up in, from the text of its plain body. */
export function parseScope(text: string): JsonObject {
  const value = parseExactJson(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !(value instanceof JsonNumber) ? value : {};
}

function allHeadersOf(input: CallbackInput, body: Buffer): Record<string, string> {
  return {
    ...headersOf({ ...input, messageId: input.deliveryId, body }),
    'X-Ringback-Event': input.event,
    'X-Ringback-Delivery': input.deliveryId,
    'X-Ringback-Attempt': String(input.attempt),
    // Callbacks arrive in no certain order. These let a receiver tell which event came in first.
    'X-Ringback-Event-Id': input.eventId,
    'X-Ringback-Received-At': input.receivedAt.toISOString(),
    ...(input.isTest ? { 'X-Ringback-Test': 'true' } : {}),
  };
}

type Head = StandardSigning & {
  webhookId: string;
  signing: boolean;
  bearer: string;
  version: string;
  body: Buffer;
};

/** The headers that every request to a receiver has. */
export function headersOf(head: Head): Record<string, string> {
  const { webhookId, signing, bearer, version, body } = head;
  return {
    'Content-Type': 'application/json',
    'Content-Length': String(body.byteLength),
    Authorization: `Bearer ${bearer}`,
    ...(signing ? { Signature: sign(body, webhookId), ...standardHeaders(body, head) } : {}),
    'User-Agent': `Ringback/${version}`,
    'Accept-Encoding': 'identity',
  };
}
