import type { Channel } from '@ringback/callbacks';
import type { ClaimRequest, WebhookChannel } from '@ringback/database';
import type { PlanPermits } from './webhook-limiter.js';

type ClaimLimits = {
  /** Maximum deliveries to claim. */
  capacity: number;
  /** Maximum deliveries to claim from webhooks without new events. */
  retryCapacity: number;
  planPermits: PlanPermits;
};

/**
 * `retryCount`: how many deliveries may be claimed from webhooks without new events. `isThrottled`: `retryCapacity` kept
 * some of these webhooks out.
 */
export type Selection = { selected: ClaimRequest[]; retryCount: number; isThrottled: boolean };

/** The webhooks that, as far as this worker knows, have due deliveries. */
export type DueWebhooks = {
  /** Adds webhooks. `fresh` ones have new events, which are claimed before retries. */
  add(due: WebhookChannel[], options: { fresh: boolean }): void;
  /** Selects the webhooks to claim from now. */
  selectForClaim(limits: ClaimLimits): Selection;
  /**
   * Reports the result of a claim: `counts` has the number of claimed deliveries by webhook, `limited` the webhooks
   * whose rate limit may have held deliveries back. `startedAt` is when the claim started. Returns how long each fresh
   * webhook from which deliveries were claimed had waited, in ms.
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
 * Orders webhooks by when they were last claimed from, so that they are served round-robin. A claim first selects
 * webhooks with new events, then the others, both from the front of the order, and moves them to the end. A webhook is
 * removed when a claim finds fewer deliveries than it could have claimed.
 */
export function createDueWebhooks({
  channels,
  now = () => performance.now(),
}: {
  channels: Channel[];
  now?: () => number;
}): DueWebhooks {
  const entries = new Map<string, Entry>();
  const fresh = new Set<string>();
  let nextClaimableAt = Infinity;

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
    selectForClaim({ capacity, retryCapacity, planPermits }) {
      const selected: ClaimRequest[] = [];
      // One claim can request each webhook only once, so only one of its channels.
      const webhookIds = new Set<string>();
      const at = now();
      let left = capacity;
      if (nextClaimableAt <= at) nextClaimableAt = Infinity;
      const select = (key: string, max: number): number => {
        const entry = entries.get(key);
        if (!entry || entry.claimableAt > at || webhookIds.has(entry.webhookId)) return 0;
        const limit = planPermits(entry.webhookId, entry.accountId, Math.min(maxPerWebhook, max));
        if (limit === 0) {
          moveToEnd(key, entry);
          fresh.delete(key);
          return 0;
        }
        webhookIds.add(entry.webhookId);
        left -= limit;
        selected.push({ webhookId: entry.webhookId, channel: entry.channel, limit });
        return limit;
      };
      const isFull = () => left <= 0 || selected.length >= maxSelected;
      for (const key of [...fresh].slice(0, maxExamined)) if (!isFull()) select(key, left);
      let retryCount = 0;
      for (const key of firstKeys(entries, maxExamined)) {
        const max = isFull() ? 0 : Math.min(left, retryCapacity - retryCount);
        if (max <= 0) return { selected, retryCount, isThrottled: left > 0 };
        if (!fresh.has(key)) retryCount += select(key, max);
      }
      return { selected, retryCount, isThrottled: false };
    },
    handleClaim(selected, counts, { startedAt, limited }) {
      const at = now();
      const delays: number[] = [];
      for (const request of selected) {
        const key = keyOf(request);
        const entry = entries.get(key);
        if (!entry) continue;
        const count = counts.get(request.webhookId) ?? 0;
        // The claim may not have seen deliveries that became due while it ran.
        const wasAddedMeanwhile = entry.addedAt >= startedAt;
        const addedAt = count > 0 ? at : entry.addedAt;
        if (fresh.has(key) && count > 0) delays.push(Math.max(0, at - entry.addedAt));
        if (!wasAddedMeanwhile) fresh.delete(key);
        entries.delete(key);
        if (count >= request.limit || wasAddedMeanwhile)
          entries.set(key, { ...entry, addedAt, claimableAt: -Infinity });
        else if (limited.has(request.webhookId) && at - addedAt < removeLimitedAfterMs) {
          entries.set(key, { ...entry, addedAt, claimableAt: at + limitedWaitMs });
          nextClaimableAt = Math.min(nextClaimableAt, at + limitedWaitMs);
        }
      }
      return delays;
    },
    size: () => entries.size,
    nextInMs: () => Math.max(0, nextClaimableAt - now()),
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
