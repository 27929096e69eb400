import { createHmac } from 'node:crypto';
import {
  type Expected,
  evaluateChecks,
  listChecks,
  type ReceivedCallback,
  type Verified,
  type VerifyOptions,
} from './signature-checks.js';

/**
 * Verifies that a callback is from Ringback: it must pass every check in the options. Values are compared in constant
 * time. Throws a TypeError if the options have no check, an unset value, an empty string or a malformed signing secret,
 * and if the body is not raw. This version needs `node:crypto`; `@ringback/client/verify` has one for every runtime.
 */
export function verify(callback: ReceivedCallback, options: VerifyOptions, now = new Date()): Verified {
  return evaluateChecks(listChecks(callback, options, now), compute);
}

function compute(expected: Expected): string {
  if (typeof expected === 'string') return expected;
  const { key, message, encoding, prefix } = expected;
  return `${prefix}${createHmac('sha256', key).update(message).digest(encoding)}`;
}
