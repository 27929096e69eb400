import {
  judge,
  listChecks,
  type Mac,
  type ReceivedCallback,
  type Verified,
  type VerifyOptions,
} from './verification.js';

export type { CallbackHeaders, ReceivedCallback, Verified, VerifyOptions } from './verification.js';

/**
 * Verifies that a callback is from Ringback: it must pass every check in the options. Values are compared in constant
 * time. Rejects with a TypeError if the options have no check, an empty text or a malformed signing secret. It needs
 * only Web Crypto, and so runs in Node, Deno, Bun, browsers and edge runtimes.
 */
export async function verify(
  callback: ReceivedCallback,
  options: VerifyOptions,
  now: Date = new Date(),
): Promise<Verified> {
  const checks = listChecks(callback, options, now);
  const macs = checks.flatMap((check) => ('reason' in check ? [] : check.expected.filter(isMac)));
  const texts = await Promise.all(macs.map(computeMac));
  return judge(checks, (mac) => texts[macs.indexOf(mac)] ?? '');
}

const isMac = (value: string | Mac): value is Mac => typeof value !== 'string';

const algorithm = { name: 'HMAC', hash: 'SHA-256' };

async function computeMac({ key, message, encoding, prefix }: Mac): Promise<string> {
  const secret = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign']);
  const bytes = new Uint8Array(await crypto.subtle.sign(algorithm, secret, message));
  return prefix + (encoding === 'hex' ? toHex(bytes) : btoa(String.fromCharCode(...bytes)));
}

const toHex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
