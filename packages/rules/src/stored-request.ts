import type { EventName } from './event.js';
import { plainBody } from './plain-body.js';
import { expandHeaders } from './stored-headers.js';

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
