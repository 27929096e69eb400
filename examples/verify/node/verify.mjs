// Verifies callbacks of Ringback. Copy this file: it needs Node 20 or newer and no package.
import { createHmac, timingSafeEqual } from 'node:crypto';

// The maximum difference between `webhook-timestamp` and the clock of this machine.
const toleranceSeconds = 300;

/**
 * Checks the headers of Standard Webhooks. Returns whether the callback is genuine and recent. Throws if `secret` is
 * not the signing secret of a webhook (`whsec_…`). `headers` have lower-case names, as in `request.headers` of Node.
 * `rawBody` is a Buffer of the body as received. `now` is in Unix seconds.
 */
export function verifyStandardWebhook(secret, headers, rawBody, now = Date.now() / 1000) {
  const base64 = secret.replace(/^whsec_/, '');
  const key = Buffer.from(base64, 'base64');
  if (key.length === 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw new Error('The secret is not whsec_ and base64.');
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers;
  if (id === '' || !/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now - Number(timestamp)) > toleranceSeconds) return false;
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody);
  const expected = `v1,${hmac.digest('base64')}`;
  // For 24 hours after a new secret was made, there are two signatures.
  return signatures.split(' ').some((signature) => isEqual(signature, expected));
}

/**
 * Checks the headers `Authorization` and `Signature`. Returns whether both are right. Throws if `webhookId` or `bearer`
 * is empty. The key of `Signature` is the webhook's id, which is not secret: only `bearer` authenticates the caller. It
 * is the webhook's `secret` or, if it has none, the callback token of the account.
 */
export function verifySignature(webhookId, bearer, headers, rawBody) {
  if (!webhookId || !bearer) throw new Error('The webhook id or the bearer is empty.');
  const { authorization = '', signature = '' } = headers;
  const expected = createHmac('sha256', webhookId).update(rawBody).digest('hex');
  return isEqual(authorization, `Bearer ${bearer}`) && isEqual(signature, expected);
}

/** Compares in constant time. */
function isEqual(actual, expected) {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
