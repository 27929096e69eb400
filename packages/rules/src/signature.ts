import { createHmac } from 'node:crypto';

/**
 * The `Signature` header: the HMAC-SHA256 of the body's bytes in lower-case hex. The key is the webhook's id as text.
 */
export function sign(body: Uint8Array, webhookId: string): string {
  return createHmac('sha256', webhookId).update(body).digest('hex');
}

/** What a Standard Webhooks signature covers in addition to the body, and its keys, each `whsec_…`. */
export type StandardSigning = { signedId: string; signedAt: Date; signingSecrets: string[] };

/**
 * The headers of Standard Webhooks: the message id, the time in Unix seconds, and the signatures, separated by spaces.
 * A signature is `v1,` and the base64 HMAC-SHA256 of `<id>.<time>.<body>`, one for each key. Without a key it returns
 * `{}`.
 */
export function standardWebhooksHeaders(
  body: Uint8Array,
  { signedId, signedAt, signingSecrets }: StandardSigning,
): StandardHeaders {
  if (signingSecrets.length === 0) return {};
  const timestamp = String(Math.floor(signedAt.getTime() / 1000));
  const signatures = signingSecrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${signedId}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return { 'webhook-id': signedId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

type StandardHeaders = { [name in `webhook-${'id' | 'timestamp' | 'signature'}`]?: string };
