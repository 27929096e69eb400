import type { Channel } from '@ringback/callbacks';
import type { ClaimRequest, WebhookChannel } from '@ringback/database';
import { type ClaimBuilder, type ClaimLimits, createClaimBuilder } from './claim-builder.js';

type PlanLimits = ClaimLimits & {
  /** Maximum deliveries to claim from discovered webhooks whose due deliveries may be retries, resends or replays. */
  availableRetries: number;
};

/**
 * `requests`: what to claim, of announced webhooks first. `isThrottled`: more would have been requested with a higher
 * `availableRetries`.
 */
export type ClaimPlan = { requests: ClaimRequest[]; isThrottled: boolean };

/** What a claim returned of one webhook. `allFirstAttempts`: all were first attempts. */
export type ClaimedFromWebhook = { count: number; allFirstAttempts: boolean };

/** The webhooks that, as far as this worker knows, have due deliveries. */
export type WebhookRotation = {
  /**
   * Adds webhooks. `announced`: a wake-up named them; they are claimed first. All other webhooks are called
   * _discovered_.
   */
  add(due: WebhookChannel[], options: { announced: boolean }): void;
  /** Selects the webhooks to claim from now. */
  planClaim(limits: PlanLimits): ClaimPlan;
  /**
   * Reports the result of a claim that started at `startedAt`. `claimed` is by webhook. `idsWithRateLimit`: webhooks with
   * a rate limit, which may have withheld some. Returns, for each announced webhook with claimed deliveries, the ms
   * since it was last added or claimed from.
   */
  reportClaim(
    requests: ClaimRequest[],
    claimed: Map<string, ClaimedFromWebhook>,
    claim: { startedAt: number; idsWithRateLimit: Set<string> },
  ): number[];
  size(): number;
  /** Milliseconds until the first rate-limited webhook may be claimed from again; Infinity if none waits. */
  msUntilRateLimitWaitEnds(): number;
};

/**
 * `hasOnlyFirstAttempts`: its due deliveries are first attempts. Assumed for a webhook that was new and announced,
 * until a claim returns some of them.
 */
type RotatingWebhook = WebhookChannel & {
  lastAddedOrClaimedAt: number;
  claimableAt: number;
  hasOnlyFirstAttempts: boolean;
};

// Bounds the time that planning a claim takes.
const maxExamined = 500;
// A claim from a rate-limited webhook is repeated after 100 ms. The webhook is removed after 2 s without a claimed
// delivery.
const rateLimitedWaitMs = 100;
const removeRateLimitedAfterMs = 2_000;

const keyOf = ({ webhookId, channel }: ClaimRequest | WebhookChannel) => `${webhookId} ${channel}`;

/**
 * Orders webhooks by when they were last claimed from, so that they are served round-robin. A claim selects the
 * announced webhooks first and the discovered ones after them, both in this order. `availableRetries` limits neither
 * announced webhooks nor those with a backlog of first attempts. The claimed webhooks, and those without a free permit,
 * move to the end. A webhook is removed when a claim finds fewer deliveries than requested, unless it was added
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
  // The keys of the announced ones, in insertion order, so that finding them needs no scan of all entries.
  const announced = new Set<string>();
  // When rate-limited webhooks may be claimed again, in order.
  const claimableTimes: number[] = [];

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
    if (!webhook || webhook.claimableAt > claim.startedAt || claim.includes(webhook.webhookId)) return 0;
    const count = claim.request(webhook, max);
    if (count > 0) return count;
    // No permit is free. As a discovered webhook it takes its turn again, and does not hold up announced ones.
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
  /** Returns whether more would have been requested with a higher `availableRetries`. */
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
    if (next === 'waitForRateLimit' && claimableTimes.at(-1) !== claimableAt) claimableTimes.push(claimableAt);
  };
  return {
    add: (due, { announced: isAnnounced }) => due.forEach((webhook) => add(webhook, isAnnounced)),
    planClaim({ availableRetries, ...limits }) {
      const startedAt = now();
      while (claimableTimes[0] !== undefined && claimableTimes[0] <= startedAt) claimableTimes.shift();
      const claim = createClaimBuilder({ ...limits, startedAt });
      selectAnnounced(claim);
      const isThrottled = selectDiscovered(claim, availableRetries);
      return { requests: claim.requests, isThrottled };
    },
    reportClaim(requests, claimed, { startedAt, idsWithRateLimit }) {
      const at = now();
      const announcedDelays: number[] = [];
      for (const request of requests) {
        const key = keyOf(request);
        const webhook = webhooksByKey.get(key);
        if (!webhook) continue;
        const none = { count: 0, allFirstAttempts: webhook.hasOnlyFirstAttempts };
        const { count, allFirstAttempts: hasOnlyFirstAttempts } = claimed.get(request.webhookId) ?? none;
        if (announced.has(key) && count > 0) announcedDelays.push(Math.max(0, at - webhook.lastAddedOrClaimedAt));
        // The claim may not have seen deliveries that became due while it ran.
        const wasAddedMeanwhile = webhook.lastAddedOrClaimedAt >= startedAt;
        // Deletes and adds again, which moves the webhook to the end.
        if (announced.delete(key) && wasAddedMeanwhile) announced.add(key);
        const lastAddedOrClaimedAt = count > 0 ? at : webhook.lastAddedOrClaimedAt;
        const mayHaveMore = count >= request.limit || wasAddedMeanwhile;
        const isRateLimited = idsWithRateLimit.has(request.webhookId);
        const next = afterClaim({ mayHaveMore, isRateLimited, unclaimedForMs: at - lastAddedOrClaimedAt });
        const claimableAt = next === 'waitForRateLimit' ? at + rateLimitedWaitMs : -Infinity;
        moveOrRemove(key, { ...webhook, lastAddedOrClaimedAt, claimableAt, hasOnlyFirstAttempts }, next);
      }
      return announcedDelays;
    },
    size: () => webhooksByKey.size,
    msUntilRateLimitWaitEnds: () => Math.max(0, (claimableTimes[0] ?? Infinity) - now()),
  };
}

type AfterClaimInput = { mayHaveMore: boolean; isRateLimited: boolean; unclaimedForMs: number };
type AfterClaim = 'keep' | 'waitForRateLimit' | 'remove';

/** What becomes of a webhook after a claim. `unclaimedForMs`: time since it was last added or claimed from. */
function afterClaim({ mayHaveMore, isRateLimited, unclaimedForMs }: AfterClaimInput): AfterClaim {
  if (mayHaveMore) return 'keep';
  return isRateLimited && unclaimedForMs < removeRateLimitedAfterMs ? 'waitForRateLimit' : 'remove';
}

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const found: T[] = [];
  for (const item of items) {
    if (found.length >= count) break;
    found.push(item);
  }
  return found;
}
