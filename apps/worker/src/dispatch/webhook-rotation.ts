import type { Channel } from '@ringback/callbacks';
import type { ClaimRequest, WebhookChannel } from '@ringback/database';
import type { ClaimBudget } from '../limiter/concurrency-limiter.js';
import { type ClaimSelection, createClaimSelection } from './claim-selection.js';

type ClaimLimits = {
  /** Maximum deliveries to claim. */
  capacity: number;
  /** Maximum deliveries to claim from webhooks whose due deliveries may be retries. */
  retryCapacity: number;
  budget: ClaimBudget;
};

/**
 * `requests`: what to claim, of announced webhooks first. `isThrottled`: more would have been requested with a higher
 * `retryCapacity`.
 */
export type Selection = { requests: ClaimRequest[]; isThrottled: boolean };

/** What a claim returned of one webhook. `areAllFirstAttempts`: all were first attempts. */
export type ClaimedFromWebhook = { count: number; areAllFirstAttempts: boolean };

/** The webhooks that, as far as this worker knows, have due deliveries. */
export type WebhookRotation = {
  /**
   * Adds webhooks. `announced`: a wake-up reported new deliveries, which are claimed first. All other webhooks are
   * called _discovered_.
   */
  add(due: WebhookChannel[], options: { announced: boolean }): void;
  /** Selects the webhooks to claim from now. */
  selectForClaim(limits: ClaimLimits): Selection;
  /**
   * Reports the result of a claim that started at `startedAt`. `claimed` is by webhook. `rateLimitedIds`: webhooks
   * whose rate limit may have withheld some. Returns how long, in ms, each announced webhook of which deliveries were
   * claimed has waited since its last announcement.
   */
  reportClaim(
    requests: ClaimRequest[],
    claimed: Map<string, ClaimedFromWebhook>,
    claim: { startedAt: number; rateLimitedIds: Set<string> },
  ): number[];
  size(): number;
  /** Milliseconds until a rate-limited webhook may be claimed from again; Infinity if there is none. */
  msUntilClaimable(): number;
};

/**
 * `waitingSince`: when it was last added or claimed from. `hasFirstAttempts`: its due deliveries are first attempts,
 * according to its announcement or to the last claim.
 */
type RotatingWebhook = WebhookChannel & { waitingSince: number; claimableAt: number; hasFirstAttempts: boolean };

// Bounds the time of one selection.
const maxExamined = 500;
// A claim from a rate-limited webhook is repeated after 100 ms. The webhook is removed after 2 s without a claimed
// delivery.
const rateLimitedWaitMs = 100;
const removeRateLimitedAfterMs = 2_000;

const keyOf = ({ webhookId, channel }: ClaimRequest | WebhookChannel) => `${webhookId} ${channel}`;

/**
 * Orders webhooks by when they were last claimed from, so that they are served round-robin. A claim selects the
 * announced webhooks first and the discovered ones after them, both in this order. `retryCapacity` limits neither
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
    if (known) known.waitingSince = now();
    else
      webhooksByKey.set(key, {
        ...webhook,
        waitingSince: now(),
        claimableAt: -Infinity,
        hasFirstAttempts: isAnnounced,
      });
  };

  /** Selects a webhook unless it has to wait. Returns how many of its deliveries are requested. */
  const select = (selection: ClaimSelection, key: string, max: number): number => {
    const webhook = webhooksByKey.get(key);
    if (!webhook || webhook.claimableAt > selection.startedAt || selection.includes(webhook.webhookId)) return 0;
    const count = selection.tryAdd(webhook, max);
    if (count > 0) return count;
    // No permit is free. As a discovered webhook it takes its turn again, and does not hold up announced ones.
    moveToEnd(key, webhook);
    announced.delete(key);
    return 0;
  };
  const selectAnnounced = (selection: ClaimSelection) => {
    for (const key of firstOf(announced, maxExamined)) {
      if (selection.isFull()) return;
      select(selection, key, Infinity);
    }
  };
  /** Returns whether more would have been requested with a higher `retryCapacity`. */
  const selectDiscovered = (selection: ClaimSelection, retryCapacity: number): boolean => {
    let retriesLeft = retryCapacity;
    let isThrottled = false;
    for (const [key, { hasFirstAttempts }] of firstOf(webhooksByKey, maxExamined)) {
      if (selection.isFull()) return false;
      if (announced.has(key)) continue;
      if (hasFirstAttempts) select(selection, key, Infinity);
      else if (retriesLeft > 0) retriesLeft -= select(selection, key, retriesLeft);
      isThrottled ||= !hasFirstAttempts && retriesLeft <= 0;
    }
    return isThrottled && !selection.isFull();
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
    selectForClaim({ capacity, retryCapacity, budget }) {
      const startedAt = now();
      while (claimableTimes[0] !== undefined && claimableTimes[0] <= startedAt) claimableTimes.shift();
      const selection = createClaimSelection({ capacity, budget, startedAt });
      selectAnnounced(selection);
      const isThrottled = selectDiscovered(selection, retryCapacity);
      return { requests: selection.requests, isThrottled };
    },
    reportClaim(requests, claimed, { startedAt, rateLimitedIds }) {
      const at = now();
      const announcedDelays: number[] = [];
      for (const request of requests) {
        const key = keyOf(request);
        const webhook = webhooksByKey.get(key);
        if (!webhook) continue;
        const none = { count: 0, areAllFirstAttempts: webhook.hasFirstAttempts };
        const { count, areAllFirstAttempts: hasFirstAttempts } = claimed.get(request.webhookId) ?? none;
        if (announced.has(key) && count > 0) announcedDelays.push(Math.max(0, at - webhook.waitingSince));
        // The claim may not have seen deliveries that became due while it ran.
        const wasAddedMeanwhile = webhook.waitingSince >= startedAt;
        // Deletes and adds again, which moves the webhook to the end.
        if (announced.delete(key) && wasAddedMeanwhile) announced.add(key);
        const waitingSince = count > 0 ? at : webhook.waitingSince;
        const mayHaveMore = count >= request.limit || wasAddedMeanwhile;
        const isRateLimited = rateLimitedIds.has(request.webhookId);
        const next = afterClaim({ mayHaveMore, isRateLimited, unclaimedForMs: at - waitingSince });
        const claimableAt = next === 'waitForRateLimit' ? at + rateLimitedWaitMs : -Infinity;
        moveOrRemove(key, { ...webhook, waitingSince, claimableAt, hasFirstAttempts }, next);
      }
      return announcedDelays;
    },
    size: () => webhooksByKey.size,
    msUntilClaimable: () => Math.max(0, (claimableTimes[0] ?? Infinity) - now()),
  };
}

type ClaimResult = { mayHaveMore: boolean; isRateLimited: boolean; unclaimedForMs: number };
type AfterClaim = 'keep' | 'waitForRateLimit' | 'remove';

/** What becomes of a webhook after a claim. `unclaimedForMs`: how long it has been here without a claimed delivery. */
function afterClaim({ mayHaveMore, isRateLimited, unclaimedForMs }: ClaimResult): AfterClaim {
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
