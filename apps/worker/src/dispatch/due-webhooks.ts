import type { Channel } from '@ringback/callbacks';
import type { ClaimRequest, WebhookChannel } from '@ringback/database';

/** Allots permits: how many of at most `max` a webhook gets. */
type Allot = (webhookId: string, accountId: string, max: number) => number;

type Bounds = {
  /** Deliveries claimed at most, and how many of them may be retries or have waited before. */
  capacity: number;
  retryCapacity: number;
  allot: Allot;
};

/** `retryCount`: how many of those chosen have waited. `heldBack`: there are more that `retryCapacity` left out. */
export type Choice = { chosen: ClaimRequest[]; retryCount: number; heldBack: boolean };

/** The webhooks of which something is known to be due, each in its turn. */
export type DueWebhooks = {
  /** `fresh`: events that just came in, which go before what has waited. */
  note(due: WebhookChannel[], options: { fresh: boolean }): void;
  /** What to claim now. */
  choose(bounds: Bounds): Choice;
  /**
   * Says how many were claimed of each; `limited` are webhooks with a rate limit, which may have held some back. Answers
   * with how long each fresh webhook had waited, in ms.
   */
  settle(chosen: ClaimRequest[], counts: Map<string, number>, claim: { askedAt: number; limited: Set<string> }): number[];
  size(): number;
  /** Until a webhook that was left alone may be asked again, in ms. */
  nextInMs(): number;
};

type Entry = WebhookChannel & { notedAt: number; askAt: number };

const maxPerWebhook = 50;
const maxChosen = 200;
// Webhooks looked at in one round; those after them have their turn in the next.
const maxLooked = 500;
// A webhook with a rate limit has new tokens after this time, and is forgotten when it gave nothing for a while.
const limitedWaitMs = 100;
const forgetLimitedMs = 2_000;

const keyOf = ({ webhookId, channel }: ClaimRequest | WebhookChannel) => `${webhookId} ${channel}`;

/** Remembers webhooks in the order in which they were asked last, so that each has its turn. */
export function createDueWebhooks({
  channels,
  now = () => performance.now(),
}: {
  channels: Channel[];
  now?: () => number;
}): DueWebhooks {
  const entries = new Map<string, Entry>();
  const fresh = new Set<string>();
  let nextAskAt = Infinity;

  const note = (one: WebhookChannel, isFresh: boolean) => {
    if (!channels.includes(one.channel)) return;
    const key = keyOf(one);
    const entry = entries.get(key);
    if (isFresh) fresh.add(key);
    if (entry) entry.notedAt = now();
    else entries.set(key, { ...one, notedAt: now(), askAt: -Infinity });
  };
  return {
    note: (due, { fresh: isFresh }) => due.forEach((one) => note(one, isFresh)),
    choose({ capacity, retryCapacity, allot }) {
      const chosen: ClaimRequest[] = [];
      const asked = new Set<string>();
      const at = now();
      let left = capacity;
      if (nextAskAt <= at) nextAskAt = Infinity;
      const take = (key: string, max: number): number => {
        const entry = entries.get(key);
        if (!entry || entry.askAt > at || asked.has(entry.webhookId)) return 0;
        const limit = allot(entry.webhookId, entry.accountId, Math.min(maxPerWebhook, max));
        if (limit === 0) {
          // To the end of the line: the next round looks at others.
          entries.delete(key);
          entries.set(key, entry);
          fresh.delete(key);
          return 0;
        }
        asked.add(entry.webhookId);
        left -= limit;
        chosen.push({ webhookId: entry.webhookId, channel: entry.channel, limit });
        return limit;
      };
      const isFull = () => left <= 0 || chosen.length >= maxChosen;
      for (const key of [...fresh].slice(0, maxLooked)) if (!isFull()) take(key, left);
      let retryCount = 0;
      for (const key of firstOf(entries, maxLooked)) {
        const max = isFull() ? 0 : Math.min(left, retryCapacity - retryCount);
        if (max <= 0) return { chosen, retryCount, heldBack: left > 0 };
        if (!fresh.has(key)) retryCount += take(key, max);
      }
      return { chosen, retryCount, heldBack: false };
    },
    settle(chosen, counts, { askedAt, limited }) {
      const at = now();
      const delays: number[] = [];
      for (const one of chosen) {
        const key = keyOf(one);
        const entry = entries.get(key);
        if (!entry) continue;
        const count = counts.get(one.webhookId) ?? 0;
        const mayHaveMore = count >= one.limit || entry.notedAt >= askedAt;
        const notedAt = count > 0 ? at : entry.notedAt;
        const isNotedAgain = entry.notedAt >= askedAt;
        if (fresh.has(key) && count > 0) delays.push(Math.max(0, at - entry.notedAt));
        if (!isNotedAgain) fresh.delete(key);
        // To the end of the line.
        entries.delete(key);
        if (mayHaveMore) entries.set(key, { ...entry, notedAt, askAt: -Infinity });
        else if (limited.has(one.webhookId) && at - notedAt < forgetLimitedMs) {
          entries.set(key, { ...entry, notedAt, askAt: at + limitedWaitMs });
          nextAskAt = Math.min(nextAskAt, at + limitedWaitMs);
        }
      }
      return delays;
    },
    size: () => entries.size,
    nextInMs: () => Math.max(0, nextAskAt - now()),
  };
}

function firstOf(entries: Map<string, Entry>, count: number): string[] {
  const keys: string[] = [];
  for (const key of entries.keys()) {
    if (keys.length >= count) break;
    keys.push(key);
  }
  return keys;
}
