import type { Channel } from '@ringback/callbacks';
import type { ClaimRequest, WebhookChannel } from '@ringback/database';
import type { AllotPermits } from './concurrency-limiter.js';

type ClaimLimits = {
  /** Maximum deliveries to claim. */
  capacity: number;
  /** Maximum deliveries to claim from webhooks that are not fresh. */
  notFreshCapacity: number;
  allotPermits: AllotPermits;
};

/** `isThrottled`: the selection ended because `notFreshCapacity` was used up, although `capacity` was not. */
export type Selection = { fresh: ClaimRequest[]; notFresh: ClaimRequest[]; isThrottled: boolean };

/** The webhooks that, as far as this worker knows, have due deliveries. */
export type WebhookRotation = {
  /** Adds webhooks. `fresh` ones have new deliveries, which are claimed first. */
  add(due: WebhookChannel[], options: { fresh: boolean }): void;
  /** Selects the webhooks to claim from now. */
  selectForClaim(limits: ClaimLimits): Selection;
  /**
   * Reports the result of a claim that started at `startedAt`. `counts`: claimed deliveries by webhook. `limited`:
   * webhooks whose rate limit may have withheld some. Returns the waits, in ms, of the fresh webhooks claimed from.
   */
  handleClaim(
    selected: ClaimRequest[],
    counts: Map<string, number>,
    claim: { startedAt: number; limited: Set<string> },
  ): number[];
  size(): number;
  /** Milliseconds until a rate-limited webhook may be claimed again. */
  nextInMs(): number;
};

type Entry = WebhookChannel & { addedAt: number; claimableAt: number };

const maxPerWebhook = 50;
const maxSelected = 200;
// Bounds the time of one selection.
const maxExamined = 500;
// A claim from a rate-limited webhook is repeated after 100 ms. The webhook is removed after 2 s without a claimed
// delivery.
const limitedWaitMs = 100;
const removeLimitedAfterMs = 2_000;

const keyOf = ({ webhookId, channel }: ClaimRequest | WebhookChannel) => `${webhookId} ${channel}`;

/**
 * Orders webhooks by when they were last claimed from, so that they are served round-robin. A claim first selects fresh
 * webhooks, then others, each in this order, and moves them to the end. A webhook is removed when a claim finds fewer
 * deliveries than requested.
 */
export function createWebhookRotation({
  channels,
  now = () => performance.now(),
}: {
  channels: Channel[];
  now?: () => number;
}): WebhookRotation {
  const entries = new Map<string, Entry>();
  // The keys of the fresh ones, in an order of their own: they are found without a search among all entries.
  const fresh = new Set<string>();
  // When rate-limited webhooks may be claimed again, in order.
  const claimableTimes: number[] = [];

  const moveToEnd = (key: string, entry: Entry) => {
    entries.delete(key);
    entries.set(key, entry);
  };
  const add = (webhook: WebhookChannel, isFresh: boolean) => {
    if (!channels.includes(webhook.channel)) return;
    const key = keyOf(webhook);
    const entry = entries.get(key);
    if (isFresh) fresh.add(key);
    if (entry) entry.addedAt = now();
    else entries.set(key, { ...webhook, addedAt: now(), claimableAt: -Infinity });
  };
  return {
    add: (due, { fresh: isFresh }) => due.forEach((webhook) => add(webhook, isFresh)),
    selectForClaim({ capacity, notFreshCapacity, allotPermits }) {
      // A claim may name a webhook once: its tokens are one row.
      const webhookIds = new Set<string>();
      const at = now();
      let capacityLeft = capacity;
      while (claimableTimes[0] !== undefined && claimableTimes[0] <= at) claimableTimes.shift();
      const select = (key: string, max: number): ClaimRequest[] => {
        const entry = entries.get(key);
        if (!entry || entry.claimableAt > at || webhookIds.has(entry.webhookId)) return [];
        const limit = allotPermits(entry.webhookId, entry.accountId, Math.min(maxPerWebhook, max));
        if (limit === 0) {
          moveToEnd(key, entry);
          fresh.delete(key);
          return [];
        }
        webhookIds.add(entry.webhookId);
        capacityLeft -= limit;
        return [{ webhookId: entry.webhookId, channel: entry.channel, limit }];
      };
      const isFull = () => capacityLeft <= 0 || webhookIds.size >= maxSelected;
      const selected: Selection = { fresh: [], notFresh: [], isThrottled: false };
      for (const key of [...fresh].slice(0, maxExamined))
        if (!isFull()) selected.fresh.push(...select(key, capacityLeft));
      let notFreshLeft = notFreshCapacity;
      for (const key of firstKeys(entries, maxExamined)) {
        if (isFull()) break;
        if (fresh.has(key)) continue;
        const requests = notFreshLeft > 0 ? select(key, Math.min(capacityLeft, notFreshLeft)) : [];
        for (const request of requests) notFreshLeft -= request.limit;
        selected.notFresh.push(...requests);
        if (notFreshLeft <= 0) return { ...selected, isThrottled: !isFull() };
      }
      return selected;
    },
    handleClaim(selected, counts, { startedAt, limited }) {
      const at = now();
      const claimableAt = at + limitedWaitMs;
      const freshDelays: number[] = [];
      for (const request of selected) {
        const key = keyOf(request);
        const entry = entries.get(key);
        if (!entry) continue;
        const count = counts.get(request.webhookId) ?? 0;
        // The claim may not have seen deliveries that became due while it ran.
        const wasAddedMeanwhile = entry.addedAt >= startedAt;
        const addedAt = count > 0 ? at : entry.addedAt;
        if (fresh.has(key) && count > 0) freshDelays.push(Math.max(0, at - entry.addedAt));
        if (fresh.delete(key) && wasAddedMeanwhile) fresh.add(key);
        entries.delete(key);
        if (count >= request.limit || wasAddedMeanwhile)
          entries.set(key, { ...entry, addedAt, claimableAt: -Infinity });
        else if (limited.has(request.webhookId) && at - addedAt < removeLimitedAfterMs) {
          entries.set(key, { ...entry, addedAt, claimableAt });
          if (claimableTimes.at(-1) !== claimableAt) claimableTimes.push(claimableAt);
        }
      }
      return freshDelays;
    },
    size: () => entries.size,
    nextInMs: () => Math.max(0, (claimableTimes[0] ?? Infinity) - now()),
  };
}

function firstKeys(entries: Map<string, Entry>, count: number): string[] {
  const keys: string[] = [];
  for (const key of entries.keys()) {
    if (keys.length >= count) break;
    keys.push(key);
  }
  return keys;
}
