import { bodyOf, type EventName } from './event.js';
import { sentHeaders } from './sent-headers.js';

/** A request as it went over the wire, its token masked; headers and body are null where they were not kept. */
export type SentRequest = { method: 'POST'; url: string; headers: Record<string, string> | null; body: string | null };

type SentDelivery = {
  id: string;
  event: EventName;
  eventId: string;
  webhookId: string;
  payload: string;
  receivedAt: Date;
};

/** `requestHeaders` as `keptHeaders` made them; `requestBody` is null where it was the plain event. */
type KeptAttempt = { number: number; url: string; requestHeaders: unknown; requestBody: string | null };

/** The request of an attempt on record. One that was made before headers were kept has neither headers nor a body. */
export function sentRequest(delivery: SentDelivery, attempt: KeptAttempt): SentRequest {
  const { url, number, requestHeaders } = attempt;
  if (typeof requestHeaders !== 'object' || requestHeaders === null)
    return { method: 'POST', url, headers: null, body: null };
  const body = attempt.requestBody ?? bodyOf(delivery.event, delivery.payload);
  const kept = Object.entries(requestHeaders).map(([name, value]) => [name, typeof value === 'string' ? value : null]);
  const headers = sentHeaders(Object.fromEntries(kept), {
    ...delivery,
    deliveryId: delivery.id,
    attempt: number,
    body,
  });
  return { method: 'POST', url, headers, body };
}
