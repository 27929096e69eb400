import { isIP } from 'node:net';
import type { Outcome } from '@ringback/callbacks';
import type { Sent } from '../send/send.js';

type Call = Pick<Sent, 'outcome' | 'durationMs' | 'timings'>;

const roundMs = 250;

/**
 * What the customer is shown of a call. A name that resolves to a forbidden address looks like one that does not exist,
 * and all refusals of a proxy look the same: otherwise a webhook would tell which names and hosts the operator's network
 * has. How long such a call took is rounded up to 250 ms. Logs and metrics have the call as it was.
 */
export function shownCall(url: string, { outcome, durationMs, timings }: Call): Call {
  const shown = shownOutcome(url, outcome);
  const isCoarse = shown !== outcome || shown.type === 'dns';
  if (!isCoarse) return { outcome, durationMs, timings };
  const none = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null };
  return { outcome: shown, durationMs: Math.max(1, Math.ceil(durationMs / roundMs)) * roundMs, timings: none };
}

export function shownOutcome(url: string, outcome: Outcome): Outcome {
  if (outcome.type === 'response') return outcome;
  if (outcome.code === 'REFUSED_ADDRESS' && !isLiteral(url)) return { type: 'dns', code: 'ENOTFOUND' };
  return outcome.code.startsWith('PROXY_') ? { type: 'connect', code: 'PROXY_FAILED' } : outcome;
}

/** Whether the host is an address: everybody can tell that one is private. */
function isLiteral(url: string): boolean {
  try {
    return isIP(new URL(url).hostname.replace(/^\[|\]$/g, '')) !== 0;
  } catch {
    return false;
  }
}
