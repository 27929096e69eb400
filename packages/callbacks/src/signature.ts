import { createHmac } from 'node:crypto';

/** The `Signature` header: lower-case hex HMAC-SHA256 over the exact bytes of the body, its key the webhook's id as text. */
export function sign(body: Uint8Array, webhookId: string): string {
  return createHmac('sha256', webhookId).update(body).digest('hex');
}

/** What a Standard Webhooks signature is made of: the id and the time of a request, and its keys, `whsec_…` each. */
export type StandardSigning = { messageId: string; at: Date; signingSecrets: string[] };

/**
 * The headers of Standard Webhooks: id, time in Unix seconds, and for each key `v1,` and the base64 HMAC-SHA256 of
 * `<id>.<time>.<body>`, separated by spaces. Without a key there are none.
 */
export function standardHeaders(body: Uint8Array, { messageId, at, signingSecrets }: StandardSigning): StandardHeaders {
  if (signingSecrets.length === 0) return {};
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = signingSecrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${messageId}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return { 'webhook-id': messageId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

type StandardHeaders = { [name in `webhook-${'id' | 'timestamp' | 'signature'}`]?: string };
