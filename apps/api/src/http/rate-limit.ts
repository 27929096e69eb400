import type { RequestHandler } from 'express';
import { errorFields, type Logger, withTimeout } from '@ringback/runtime';
import { ApiError } from './api-error.js';
import { callerOf } from './authenticate.js';
import type { HoldBack } from './hold-back.js';

/** Counts a call of a token in its minute, together with every other process. */
export type CountHit = (tokenId: string) => Promise<{ hits: number; endsInMs: number }>;

export type RateLimit = {
  perMinute: number;
  /** Asked for each call of a token that is not known to be over its limit. */
  countHit: CountHit;
  log: Pick<Logger, 'error'>;
  holdBack: HoldBack;
};

export const windowMs = 60_000;
const patienceMs = 100;
const complainEveryMs = 60_000;
const mostRemembered = 10_000;

/** So many calls a minute for each access token; says what is left, and when to come back (behaviour: rate limit). */
export function limitRate(limit: RateLimit): RequestHandler {
  const count = openCount(limit);
  return async (request, response, next) => {
    const { hits, endsAt } = await count(callerOf(request).tokenId);
    response.set('X-RateLimit-Limit', String(limit.perMinute));
    response.set('X-RateLimit-Remaining', String(Math.max(0, limit.perMinute - hits)));
    response.set('X-RateLimit-Reset', String(Math.ceil(endsAt / 1_000)));
    if (hits <= limit.perMinute) return next();
    await limit.holdBack(response);
    response.set('Retry-After', String(Math.max(1, Math.ceil((endsAt - Date.now()) / 1_000))));
    throw new ApiError(429, 'Too Many Attempts.');
  };
}

type Count = { hits: number; endsAt: number };

/**
 * Counts, and remembers what was last said of each token: one that is over its limit is not counted any more, and
 * while the counter is away nobody is refused who was not before.
 */
function openCount({ perMinute, countHit, log }: RateLimit): (tokenId: string) => Promise<Count> {
  const known = new Map<string, Count>();
  let complainedAt = -Infinity;
  const remember = (tokenId: string, count: Count) => {
    if (known.size >= mostRemembered) forgetEnded(known);
    known.set(tokenId, count);
    return count;
  };
  const complain = (error: unknown) => {
    if (performance.now() - complainedAt < complainEveryMs) return;
    complainedAt = performance.now();
    log.error('rate_limit.not_counted', errorFields(error));
  };
  return async (tokenId) => {
    const last = known.get(tokenId);
    const current = last && last.endsAt > Date.now() ? last : undefined;
    if (current && current.hits > perMinute) return current;
    try {
      const { hits, endsInMs } = await withTimeout(patienceMs, countHit(tokenId), giveUp);
      return remember(tokenId, { hits, endsAt: Date.now() + endsInMs });
    } catch (error) {
      complain(error);
      const { hits, endsAt } = current ?? { hits: 0, endsAt: Date.now() + windowMs };
      return remember(tokenId, { hits: Math.min(hits + 1, perMinute), endsAt });
    }
  };
}

function giveUp(): never {
  throw new Error('the counter does not answer');
}

function forgetEnded(known: Map<string, Count>): void {
  for (const [tokenId, { endsAt }] of known) if (endsAt <= Date.now()) known.delete(tokenId);
}
