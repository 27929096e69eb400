import { createHmac } from 'node:crypto';

/** The `Signature` header: lower-case hex HMAC-SHA256 over the exact bytes of the body, its key the webhook's id as text. */
export function sign(body: Uint8Array, webhookId: string): string {
  return createHmac('sha256', webhookId).update(body).digest('hex');
}
