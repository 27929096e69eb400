import type { Channel } from '@ringback/callbacks';
import type { ClaimRequest, WebhookChannel } from '@ringback/database';
import type { ClaimBudget } from '../limiter/concurrency-limiter.js';

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
   * Adds webhooks. `announced`: a wake-up reported new deliveries, which are claimed first. Webhooks that were found in
   * another way are discovered.
   */
  add(due: WebhookChannel[], options: { announced: boolean }): void;
  /** Selects the webhooks to claim from now. */
  selectForClaim(limits: ClaimLimits): Selection;
  /**
   * Reports the result of a claim that started at `startedAt`. `claimed` is by webhook. `rateLimitedIds`: webhooks whose
   * rate limit may have withheld some. Returns the waits, in ms, of the announced webhooks claimed from.
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

/** `hasNew`: its due deliveries are first attempts, according to its announcement or to the last claim. */
type RotatingWebhook = WebhookChannel & { addedAt: number; claimableAt: number; hasFirstAttempts: boolean };

const maxPerWebhook = 50;
const maxSelected = 200;
// Bounds the time of one selection.
const maxExamined = 500;
// A claim from a rate-limited webhook is repeated after 100 ms. The webhook is removed after 2 s without a claimed
// delivery.
const rateLimitedWaitMs = 100;
const removeRateLimitedAfterMs = 2_000;

const keyOf = ({ webhookId, channel }: ClaimRequest | WebhookChannel) => `${webhookId} ${channel}`;

/**
 * Orders webhooks by when they were last claimed from, so that they are served round-robin. A claim selects the announced
 * webhooks first and the discovered ones after them, both in this order. `retryCapacity` limits neither announced webhooks
 * nor those with a backlog of first attempts. The selected webhooks, and those without a free permit, move to the end. A
 * webhook is removed when a claim finds fewer deliveries than requested, unless it was added meanwhile or its rate limit
 * may be the cause.
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

  const moveToEnd = (key: string, entry: RotatingWebhook) => {
    webhooksByKey.delete(key);
    webhooksByKey.set(key, entry);
  };
  const add = (webhook: WebhookChannel, isAnnounced: boolean) => {
    if (!channels.includes(webhook.channel)) return;
    const key = keyOf(webhook);
    const entry = webhooksByKey.get(key);
    if (isAnnounced) announced.add(key);
    if (entry) entry.addedAt = now();
    else webhooksByKey.set(key, { ...webhook, addedAt: now(), claimableAt: -Infinity, hasFirstAttempts: isAnnounced });
  };
  return {
    add: (due, { announced: isAnnounced }) => due.forEach((webhook) => add(webhook, isAnnounced)),
    selectForClaim({ capacity, retryCapacity, budget }) {
      // A claim may name a webhook at most once, because claims lock one rate row per webhook.
      const webhookIds = new Set<string>();
      const at = now();
      let capacityLeft = capacity;
      while (claimableTimes[0] !== undefined && claimableTimes[0] <= at) claimableTimes.shift();
      const select = (key: string, max: number): ClaimRequest | undefined => {
        const entry = webhooksByKey.get(key);
        if (!entry || entry.claimableAt > at || webhookIds.has(entry.webhookId)) return undefined;
        const limit = budget.reserve(entry.webhookId, entry.accountId, Math.min(maxPerWebhook, max));
        if (limit === 0) {
          moveToEnd(key, entry);
          // No permit is free. As a discovered webhook it takes its turn again, and does not hold up announced ones.
          announced.delete(key);
          return undefined;
        }
        webhookIds.add(entry.webhookId);
        capacityLeft -= limit;
        return { webhookId: entry.webhookId, channel: entry.channel, limit };
      };
      const isFull = () => capacityLeft <= 0 || webhookIds.size >= maxSelected;
      const requests: ClaimRequest[] = [];
      for (const key of [...announced].slice(0, maxExamined)) {
        const request = isFull() ? undefined : select(key, capacityLeft);
        if (request) requests.push(request);
      }
      let retriesLeft = retryCapacity;
      let isThrottled = false;
      for (const [key, { hasFirstAttempts }] of firstOf(webhooksByKey, maxExamined)) {
        if (isFull()) break;
        if (announced.has(key)) continue;
        const max = hasFirstAttempts ? capacityLeft : Math.min(capacityLeft, retriesLeft);
        const request = max > 0 ? select(key, max) : undefined;
        if (request) requests.push(request);
        if (hasFirstAttempts) continue;
        retriesLeft -= request?.limit ?? 0;
        isThrottled ||= retriesLeft <= 0;
      }
      return { requests, isThrottled: isThrottled && !isFull() };
    },
    reportClaim(requests, claimed, { startedAt, rateLimitedIds }) {
      const at = now();
      const claimableAt = at + rateLimitedWaitMs;
      const announcedDelays: number[] = [];
      for (const request of requests) {
        const key = keyOf(request);
        const entry = webhooksByKey.get(key);
        if (!entry) continue;
        const { count, areAllFirstAttempts: hasFirstAttempts } = claimed.get(request.webhookId) ?? {
          count: 0,
          areAllFirstAttempts: entry.hasFirstAttempts,
        };
        // The claim may not have seen deliveries that became due while it ran.
        const wasAddedMeanwhile = entry.addedAt >= startedAt;
        const addedAt = count > 0 ? at : entry.addedAt;
        if (announced.has(key) && count > 0) announcedDelays.push(Math.max(0, at - entry.addedAt));
        // Deletes and adds again, which moves the webhook to the end.
        if (announced.delete(key) && wasAddedMeanwhile) announced.add(key);
        webhooksByKey.delete(key);
        if (count >= request.limit || wasAddedMeanwhile)
          webhooksByKey.set(key, { ...entry, addedAt, claimableAt: -Infinity, hasFirstAttempts });
        else if (rateLimitedIds.has(request.webhookId) && at - addedAt < removeRateLimitedAfterMs) {
          webhooksByKey.set(key, { ...entry, addedAt, claimableAt, hasFirstAttempts });
          if (claimableTimes.at(-1) !== claimableAt) claimableTimes.push(claimableAt);
        }
      }
      return announcedDelays;
    },
    size: () => webhooksByKey.size,
    msUntilClaimable: () => Math.max(0, (claimableTimes[0] ?? Infinity) - now()),
  };
}

function firstOf<Key, Value>(map: Map<Key, Value>, count: number): [Key, Value][] {
  const found: [Key, Value][] = [];
  for (const one of map) {
    if (found.length >= count) break;
    found.push(one);
  }
  return found;
}
