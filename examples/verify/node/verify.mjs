// Verifies callbacks. Copy this file: it needs Node 20 or newer and no package.
import { createHmac, timingSafeEqual } from 'node:crypto';

// The maximum difference between `webhook-timestamp` and the clock of this machine.
const toleranceSeconds = 300;

/**
 * Checks the headers of Standard Webhooks. Returns what is wrong with the callback; null if it is genuine and recent.
 * Throws if `secret` is not the signing secret of a webhook (`whsec_…`). `headers` are an object, with names in any
 * case. `rawBody` is the body as received, as a Buffer or text. `now` is in Unix seconds.
 */
export function findStandardWebhookProblem(secret, headers, rawBody, now = Date.now() / 1000) {
  const base64 = secret.replace(/^whsec_/, '');
  const key = Buffer.from(base64, 'base64');
  if (key.length === 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw new Error('The secret is not whsec_ and base64.');
  requireRawBody(rawBody);
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (id === '') return 'the webhook-id header is missing';
  if (timestamp === '') return 'the webhook-timestamp header is missing';
  if (signatures === '') return 'the webhook-signature header is missing';
  if (!/^[0-9]{1,12}$/.test(timestamp)) return 'the webhook-timestamp header is not a Unix timestamp';
  if (now - Number(timestamp) > toleranceSeconds) return 'the webhook-timestamp header is too old';
  if (Number(timestamp) - now > toleranceSeconds) return 'the webhook-timestamp header is in the future';
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(rawBody);
  const expected = `v1,${hmac.digest('base64')}`;
  // For 24 hours after a new secret was made, there are two signatures.
  const isGenuine = signatures.split(' ').some((signature) => isEqual(signature, expected));
  return isGenuine ? null : 'the webhook-signature header is wrong';
}

/**
 * Checks the headers `Authorization` and `Signature`. Returns what is wrong with the callback; null if both are right.
 * Throws if `webhookId` or `bearer` is empty. The key of `Signature` is the webhook's id, which is not secret: only
 * `bearer` authenticates the caller. It is the webhook's `secret` or, if it has none, the callback token of the account.
 */
export function findSignatureProblem(webhookId, bearer, headers, rawBody) {
  if (!webhookId || !bearer) throw new Error('The webhook id or the bearer is empty.');
  requireRawBody(rawBody);
  const [authorization, signature] = ['authorization', 'signature'].map((name) => headerOf(headers, name));
  if (authorization === '') return 'the Authorization header is missing';
  if (!isEqual(authorization, `Bearer ${bearer}`)) return 'the Authorization header is wrong';
  if (signature === '') return 'the Signature header is missing';
  const expected = createHmac('sha256', webhookId).update(rawBody).digest('hex');
  return isEqual(signature, expected) ? null : 'the Signature header is wrong';
}

/** Returns the header, whatever the case of its name; an empty text if it is missing. */
function headerOf(headers, name) {
  const [, value = ''] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return String(value);
}

function requireRawBody(body) {
  if (typeof body === 'string' || body instanceof Uint8Array) return;
  throw new TypeError(
    "rawBody is not the raw body but a parsed one; in Express, use express.raw({ type: 'application/json' }).",
  );
}

/** Compares in constant time. */
function isEqual(actual, expected) {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
