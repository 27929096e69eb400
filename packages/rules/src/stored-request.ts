import type { EventName } from './event.js';
import { plainBody } from './callback.js';
import { sign } from './signature.js';

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

type Headers = Record<string, string>;

/** Stands in for the `Authorization` header that was sent. */
export const maskedBearer = 'Bearer ********';

/** The headers that nearly every callback has, without those that are derived from its body. */
const defaultHeaders = ({ eventName, deliveryId, eventId, receivedAt, attemptNumber }: HeadersInput): Headers => ({
  'Content-Type': 'application/json',
  Authorization: maskedBearer,
  'Accept-Encoding': 'identity',
  'X-Ringback-Event': eventName,
  'X-Ringback-Delivery': deliveryId,
  'X-Ringback-Attempt': String(attemptNumber),
  'X-Ringback-Event-Id': eventId,
  'X-Ringback-Received-At': receivedAt.toISOString(),
});

const bodyHeaders = ['Content-Length', 'Signature'];
// `webhook-id` is the delivery's id, and is sent whenever `webhook-signature` is.
const derivedHeaders = [...bodyHeaders, 'webhook-id'];

/**
 * The part of a callback's headers that must be stored so that `expandHeaders` can restore all of them: the headers
 * that differ from the defaults, and null for each default header that was not sent. It never contains the token.
 */
export function compactHeaders(headers: Headers, input: HeadersInput): Record<string, string | null> {
  const sent: Headers = { ...headers, ...(headers.Authorization === undefined ? {} : { Authorization: maskedBearer }) };
  const defaults = defaultHeaders(input);
  const differing = Object.entries(sent).filter(
    ([name, value]) => !derivedHeaders.includes(name) && defaults[name] !== value,
  );
  const missing = [...Object.keys(defaults), ...bodyHeaders].filter((name) => !Object.hasOwn(sent, name));
  return Object.fromEntries([...differing, ...missing.map((name) => [name, null] as const)]);
}

/** Restores the headers of a callback from the result of `compactHeaders`, with the token masked. */
export function expandHeaders(
  compact: Record<string, string | null>,
  input: HeadersInput & { webhookId: string; body: string },
): Headers {
  const body = Buffer.from(input.body, 'utf8');
  const all: Record<string, string | null> = {
    ...defaultHeaders(input),
    'Content-Length': String(body.byteLength),
    Signature: sign(body, input.webhookId),
    ...(compact['webhook-signature'] ? { 'webhook-id': input.deliveryId } : {}),
    ...compact,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null));
}
