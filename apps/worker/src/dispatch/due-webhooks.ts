import type { Channel } from '@ringback/callbacks';
import type { ClaimRequest, WebhookChannel } from '@ringback/database';

/** Allots permits: how many of at most `max` a webhook gets. */
type Allot = (webhookId: string, accountId: string, max: number) => number;

type ClaimLimits = {
  /** Maximum deliveries of the claim. */
  capacity: number;
  /** Maximum of them from webhooks without new events. */
  retryCapacity: number;
  allot: Allot;
};

/** `retryCount`: deliveries from webhooks without new events. `isThrottled`: `retryCapacity` left some of these out. */
export type Selection = { selected: ClaimRequest[]; retryCount: number; isThrottled: boolean };

/** The webhooks that have due deliveries, as far as this worker knows. */
export type DueWebhooks = {
  /** Adds webhooks; `fresh` ones have new events, which are claimed before retries. */
  add(due: WebhookChannel[], options: { fresh: boolean }): void;
  /** Selects what to claim now. */
  selectForClaim(limits: ClaimLimits): Selection;
  /**
   * Reports the result of a claim: how many deliveries of each webhook were claimed, and which webhooks have a rate limit,
   * which may have left some out. `askedAt` is when the claim started. Returns how long each fresh webhook waited, in ms.
   */
  handleClaim(
    selected: ClaimRequest[],
    counts: Map<string, number>,
    claim: { askedAt: number; limited: Set<string> },
  ): number[];
  size(): number;
  /** Milliseconds until a rate-limited webhook may be claimed again. */
  nextInMs(): number;
};

type Entry = WebhookChannel & { addedAt: number; claimableAt: number };

const maxPerWebhook = 50;
const maxSelected = 200;
// Bounds the time of one selection; the other webhooks come first in the next.
const maxExamined = 500;
// A rate-limited webhook gets new tokens after this time, and is removed after 2 s without a claimed delivery.
const limitedWaitMs = 100;
const removeLimitedAfterMs = 2_000;

const keyOf = ({ webhookId, channel }: ClaimRequest | WebhookChannel) => `${webhookId} ${channel}`;

/**
 * Orders webhooks by when they were last claimed from, so that each has its turn: a claim selects webhooks with new events
 * first, then the others, each from the front, and moves them to the end. A webhook is removed when a claim finds no more.
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
    selectForClaim({ capacity, retryCapacity, allot }) {
      const selected: ClaimRequest[] = [];
      // A claim takes deliveries of one channel of a webhook only.
      const webhookIds = new Set<string>();
      const at = now();
      let left = capacity;
      if (nextClaimableAt <= at) nextClaimableAt = Infinity;
      const select = (key: string, max: number): number => {
        const entry = entries.get(key);
        if (!entry || entry.claimableAt > at || webhookIds.has(entry.webhookId)) return 0;
        const limit = allot(entry.webhookId, entry.accountId, Math.min(maxPerWebhook, max));
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
    handleClaim(selected, counts, { askedAt, limited }) {
      const at = now();
      const delays: number[] = [];
      for (const wanted of selected) {
        const key = keyOf(wanted);
        const entry = entries.get(key);
        if (!entry) continue;
        const count = counts.get(wanted.webhookId) ?? 0;
        // The claim may not have seen what was added while it ran.
        const wasAddedMeanwhile = entry.addedAt >= askedAt;
        const addedAt = count > 0 ? at : entry.addedAt;
        if (fresh.has(key) && count > 0) delays.push(Math.max(0, at - entry.addedAt));
        if (!wasAddedMeanwhile) fresh.delete(key);
        entries.delete(key);
        if (count >= wanted.limit || wasAddedMeanwhile) entries.set(key, { ...entry, addedAt, claimableAt: -Infinity });
        else if (limited.has(wanted.webhookId) && at - addedAt < removeLimitedAfterMs) {
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
