import {
  type Check,
  type Expected,
  evaluateChecks,
  listChecks,
  type ReceivedCallback,
  type Verified,
  type VerifyOptions,
} from './signature-checks.js';

export type { CallbackHeaders, ReceivedCallback, Verified, VerifyOptions } from './signature-checks.js';

/**
 * Verifies that a callback is from Ringback: it must pass every check in the options. Values are compared in constant
 * time. Rejects with a TypeError if the options have no check, an unset value, an empty string or a malformed signing
 * secret, and if the body is not raw. It needs only Web Crypto, and so runs in Node, Deno, Bun, browsers and edge
 * runtimes.
 */
export async function verify(
  callback: ReceivedCallback,
  options: VerifyOptions,
  now: Date = new Date(),
): Promise<Verified> {
  const checks = listChecks(callback, options, now);
  // The expected values are computed first, because Web Crypto is asynchronous and `evaluateChecks` is not.
  return evaluateChecks(await Promise.all(checks.map(computeCheck)), (text) => text);
}

async function computeCheck(check: Check): Promise<Check<string>> {
  return 'reason' in check ? check : { ...check, expected: await Promise.all(check.expected.map(compute)) };
}

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

async function compute(expected: Expected): Promise<string> {
  if (typeof expected === 'string') return expected;
  const { key, message, encoding, prefix } = expected;
  const secret = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  const bytes = new Uint8Array(await crypto.subtle.sign(algorithm, secret, message));
  return prefix + (encoding === 'hex' ? toHex(bytes) : btoa(String.fromCharCode(...bytes)));
}

const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
