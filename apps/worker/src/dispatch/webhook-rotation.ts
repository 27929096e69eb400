import type { Channel } from '@ringback/rules';
import type { ClaimRequest, WebhookChannel } from '@ringback/ledger';
import { type ClaimBuilder, type ClaimLimits, createClaimBuilder } from './claim-builder.js';

type PlanLimits = ClaimLimits & {
  /** Maximum deliveries to claim from discovered webhooks whose due deliveries may be retries, resends or replays. */
  availableRetries: number;
};

/**
 * `requests`: what to claim, of announced webhooks first. `isThrottled`: more might have been requested with a higher
 * `availableRetries`.
 */
export type ClaimPlan = { requests: ClaimRequest[]; isThrottled: boolean };

/** The number of deliveries that a claim returned of one webhook, and whether all are due for their first attempts. */
export type ClaimedFromWebhook = { count: number; areFirstAttempts: boolean };

/** The webhooks that, as far as this worker knows, have due deliveries. */
export type WebhookRotation = {
  /**
   * Adds webhooks of the worker's channels. `announced`: a wake-up named them; they are claimed first. All others are
   * called _discovered_.
   */
  add(due: WebhookChannel[], options: { announced: boolean }): void;
  /** Selects the webhooks to claim from now. */
  planClaim(limits: PlanLimits): ClaimPlan;
  /**
   * Reports the result of a claim. `claimed` is by webhook id. `idsWithRateLimit`: webhooks whose rate limit may have
   * withheld deliveries. Returns, for each announced webhook with claimed deliveries, the ms since it was last added or
   * claimed from.
   */
  reportClaim(
    requests: ClaimRequest[],
    claimed: Map<string, ClaimedFromWebhook>,
    claim: { startedAtMonotonicMs: number; idsWithRateLimit: Set<string> },
  ): number[];
  size(): number;
  /** Milliseconds until the first rate-limited webhook may be claimed from again; Infinity if none waits. */
  msUntilRateLimitWaitEnds(): number;
};

/**
 * Times are those of `performance.now()`. `hasOnlyFirstAttempts`: its due deliveries are due for their first attempts.
 * Assumed for a webhook that was announced while it was not in the rotation, until a claim returns deliveries of it.
 */
type RotatingWebhook = WebhookChannel & {
  lastAddedOrClaimedAt: number;
  claimableAt: number;
  hasOnlyFirstAttempts: boolean;
};

// Bounds the time that planning a claim takes.
const maxExamined = 500;
// A webhook whose rate limit may have withheld deliveries is claimed from again after 100 ms, and removed after 2 s
// without a claimed delivery.
const rateLimitedWaitMs = 100;
const removeRateLimitedAfterMs = 2_000;

const keyOf = ({ webhookId, channel }: ClaimRequest | WebhookChannel) => `${webhookId} ${channel}`;

/**
 * Serves webhooks round-robin. A claim selects the announced webhooks first, in the order of their wake-ups, then the
 * discovered ones, in the order of their last claims. `availableRetries` limits neither announced webhooks nor those
 * with a backlog of first attempts. The claimed webhooks move to the end. So do those without a free permit, which
 * become discovered ones. A webhook is removed when a claim finds fewer deliveries than requested, unless it was added
 * meanwhile or its rate limit may be the cause.
 */
export function createWebhookRotation({
  channels,
  now = () => performance.now(),
}: {
  channels: Channel[];
  now?: () => number;
}): WebhookRotation {
  const webhooksByKey = new Map<string, RotatingWebhook>();
  // The keys of the announced webhooks, so that finding them needs no scan of all entries.
  const announced = new Set<string>();
  // When rate-limited webhooks may be claimed from again, in order.
  const claimableAtTimes: number[] = [];

  const moveToEnd = (key: string, webhook: RotatingWebhook) => {
    webhooksByKey.delete(key);
    webhooksByKey.set(key, webhook);
  };
  const add = (webhook: WebhookChannel, isAnnounced: boolean) => {
    if (!channels.includes(webhook.channel)) return;
    const key = keyOf(webhook);
    const known = webhooksByKey.get(key);
    if (isAnnounced) announced.add(key);
    if (known) known.lastAddedOrClaimedAt = now();
    else
      webhooksByKey.set(key, {
        ...webhook,
        lastAddedOrClaimedAt: now(),
        claimableAt: -Infinity,
        hasOnlyFirstAttempts: isAnnounced,
      });
  };

  /** Selects a webhook unless it has to wait. Returns how many of its deliveries are requested. */
  const select = (claim: ClaimBuilder, key: string, max: number): number => {
    const webhook = webhooksByKey.get(key);
    if (!webhook || webhook.claimableAt > claim.startedAtMonotonicMs || claim.includes(webhook.webhookId)) return 0;
    const count = claim.request(webhook, max);
    if (count > 0) return count;
    // No permit is free. It becomes a discovered webhook, so that it does not delay announced ones.
    moveToEnd(key, webhook);
    announced.delete(key);
    return 0;
  };
  const selectAnnounced = (claim: ClaimBuilder) => {
    for (const key of firstOf(announced, maxExamined)) {
      if (claim.isFull()) return;
      select(claim, key, Infinity);
    }
  };
  /** Selects discovered webhooks. Returns whether more might have been requested with a higher `availableRetries`. */
  const selectDiscovered = (claim: ClaimBuilder, availableRetries: number): boolean => {
    let retriesLeft = availableRetries;
    let isThrottled = false;
    for (const [key, { hasOnlyFirstAttempts }] of firstOf(webhooksByKey, maxExamined)) {
      if (claim.isFull()) return false;
      if (announced.has(key)) continue;
      if (hasOnlyFirstAttempts) select(claim, key, Infinity);
      else if (retriesLeft > 0) retriesLeft -= select(claim, key, retriesLeft);
      isThrottled ||= !hasOnlyFirstAttempts && retriesLeft <= 0;
    }
    return isThrottled && !claim.isFull();
  };

  /** Moves a claimed webhook to the end, or removes it. */
  const moveOrRemove = (key: string, webhook: RotatingWebhook, next: AfterClaim) => {
    if (next === 'remove') return void webhooksByKey.delete(key);
    moveToEnd(key, webhook);
    const { claimableAt } = webhook;
    if (next === 'waitForRateLimit' && claimableAtTimes.at(-1) !== claimableAt) claimableAtTimes.push(claimableAt);
  };
  return {
    add: (due, { announced: isAnnounced }) => due.forEach((webhook) => add(webhook, isAnnounced)),
    planClaim({ availableRetries, ...limits }) {
      const startedAtMonotonicMs = now();
      while (claimableAtTimes[0] !== undefined && claimableAtTimes[0] <= startedAtMonotonicMs) claimableAtTimes.shift();
      const claim = createClaimBuilder({ ...limits, startedAtMonotonicMs });
      selectAnnounced(claim);
      const isThrottled = selectDiscovered(claim, availableRetries);
      return { requests: claim.requests, isThrottled };
    },
    reportClaim(requests, claimed, { startedAtMonotonicMs, idsWithRateLimit }) {
      const nowMs = now();
      const announcedDelaysMs: number[] = [];
      for (const request of requests) {
        const key = keyOf(request);
        const webhook = webhooksByKey.get(key);
        if (!webhook) continue;
        const none = { count: 0, areFirstAttempts: webhook.hasOnlyFirstAttempts };
        const { count, areFirstAttempts: hasOnlyFirstAttempts } = claimed.get(request.webhookId) ?? none;
        if (announced.has(key) && count > 0) announcedDelaysMs.push(Math.max(0, nowMs - webhook.lastAddedOrClaimedAt));
        // The claim may not have seen deliveries that became due while it ran.
        const wasAddedMeanwhile = webhook.lastAddedOrClaimedAt >= startedAtMonotonicMs;
        // Deleting and adding moves the key to the end of `announced`.
        if (announced.delete(key) && wasAddedMeanwhile) announced.add(key);
        const lastAddedOrClaimedAt = count > 0 ? nowMs : webhook.lastAddedOrClaimedAt;
        const mayHaveMore = count >= request.limit || wasAddedMeanwhile;
        const isRateLimited = idsWithRateLimit.has(request.webhookId);
        const next = afterClaim({ mayHaveMore, isRateLimited, unclaimedForMs: nowMs - lastAddedOrClaimedAt });
        const claimableAt = next === 'waitForRateLimit' ? nowMs + rateLimitedWaitMs : -Infinity;
        moveOrRemove(key, { ...webhook, lastAddedOrClaimedAt, claimableAt, hasOnlyFirstAttempts }, next);
      }
      return announcedDelaysMs;
    },
    size: () => webhooksByKey.size,
    msUntilRateLimitWaitEnds: () => Math.max(0, (claimableAtTimes[0] ?? Infinity) - now()),
  };
}

type AfterClaimInput = { mayHaveMore: boolean; isRateLimited: boolean; unclaimedForMs: number };
type AfterClaim = 'keep' | 'waitForRateLimit' | 'remove';

/** What becomes of a webhook after a claim. `unclaimedForMs`: time since it was last added or claimed from. */
function afterClaim({ mayHaveMore, isRateLimited, unclaimedForMs }: AfterClaimInput): AfterClaim {
  if (mayHaveMore) return 'keep';
  return isRateLimited && unclaimedForMs < removeRateLimitedAfterMs ? 'waitForRateLimit' : 'remove';
}

function firstOf<T>(items: Iterable<T>, maxCount: number): T[] {
  const result: T[] = [];
  for (const item of items) {
    if (result.length >= maxCount) break;
    result.push(item);
  }
  return result;
}
