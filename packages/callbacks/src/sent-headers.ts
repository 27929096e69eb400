import type { EventName } from './event.js';
import { sign } from './signature.js';

export type SentHeadersInput = {
  event: EventName;
  deliveryId: string;
  eventId: string;
  receivedAt: Date;
  /** 1 is the first. */
  attempt: number;
};

type Headers = Record<string, string>;

/** Stands for the token that was sent. */
export const maskedBearer = 'Bearer ********';

/** The headers of nearly every callback, but for those that follow from its body. */
const usualHeaders = ({ event, deliveryId, eventId, receivedAt, attempt }: SentHeadersInput): Headers => ({
  'Content-Type': 'application/json',
  Authorization: maskedBearer,
  'Accept-Encoding': 'identity',
  'X-Ringback-Event': event,
  'X-Ringback-Delivery': deliveryId,
  'X-Ringback-Attempt': String(attempt),
  'X-Ringback-Event-Id': eventId,
  'X-Ringback-Received-At': receivedAt.toISOString(),
});

const ofBody = ['Content-Length', 'Signature'];
// What the delivery's id is sent as; there whenever the signature over it is.
const known = [...ofBody, 'webhook-id'];

/**
 * What has to be kept of the headers of a callback that `compose` made, so that `sentHeaders` can tell all of them:
 * those that differ from the usual ones, null for one that was not sent. Never the token.
 */
export function keptHeaders(headers: Headers, input: SentHeadersInput): Record<string, string | null> {
  const sent: Headers = { ...headers, ...(headers.Authorization === undefined ? {} : { Authorization: maskedBearer }) };
  const usual = usualHeaders(input);
  const others = Object.entries(sent).filter(([name, value]) => !known.includes(name) && usual[name] !== value);
  const missing = [...Object.keys(usual), ...ofBody].filter((name) => !Object.hasOwn(sent, name));
  return Object.fromEntries([...others, ...missing.map((name) => [name, null] as const)]);
}

/** The headers of a callback as they were sent, with the token masked. */
export function sentHeaders(
  kept: Record<string, string | null>,
  input: SentHeadersInput & { webhookId: string; body: string },
): Headers {
  const body = Buffer.from(input.body, 'utf8');
  const usual = usualHeaders(input);
  const all: Record<string, string | null> = {
    ...usual,
    'Content-Length': String(body.byteLength),
    Signature: sign(body, input.webhookId),
    ...(kept['webhook-signature'] ? { 'webhook-id': input.deliveryId } : {}),
    ...kept,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null));
}
