import { isIP } from 'node:net';
import type { Outcome } from '@ringback/rules';
import type { SendResult } from '../send/send.js';

type Result = Pick<SendResult, 'outcome' | 'durationMs' | 'timings'>;

const durationStepMs = 250;

/**
 * Removes from the result of a request what a customer must not see. A name that resolves to a forbidden address looks
 * like one that does not exist, and all of a proxy's refusals look the same: otherwise a webhook would reveal names and
 * hosts in the operator's network. Such a request, and any whose name cannot be resolved, gets no timings, and a
 * duration that is rounded up to a multiple of 250 ms, at least 250 ms. Logs and metrics get the unchanged result.
 */
export function redactResult(url: string, { outcome, durationMs, timings }: Result): Result {
  const redacted = redactOutcome(url, outcome);
  const hidesTiming = redacted !== outcome || redacted.type === 'dns';
  if (!hidesTiming) return { outcome, durationMs, timings };
  const noTimings = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
  return {
    outcome: redacted,
    durationMs: Math.max(1, Math.ceil(durationMs / durationStepMs)) * durationStepMs,
    timings: noTimings,
  };
}

/** The outcome that a customer may see. */
export function redactOutcome(url: string, outcome: Outcome): Outcome {
  if (outcome.type === 'response') return outcome;
  if (outcome.code === 'REFUSED_ADDRESS' && !hasIpHost(url)) return { type: 'dns', code: 'ENOTFOUND' };
  return outcome.code.startsWith('PROXY_') ? { type: 'connect', code: 'PROXY_FAILED' } : outcome;
}

/** Whether the host is an IP address. A customer who gives an address already knows it. */
function hasIpHost(url: string): boolean {
  try {
    return isIP(new URL(url).hostname.replace(/^\[|\]$/g, '')) !== 0;
  } catch {
    return false;
  }
}
