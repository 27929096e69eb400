import type { Channel } from '@ringback/rules';
import { type ClaimRequest, type DeliveryTask, type DueKey, isFirstAttempt } from '@ringback/ledger';
import { groupBy } from '@ringback/process';
import type { ClaimBudget } from './limits/limiter.js';

export type ClaimLimits = {
  /** Maximum deliveries to claim. */
  availableLeases: number;
  /** Maximum deliveries to claim of webhooks in the backlog. */
  availableRetries: number;
  budget: ClaimBudget;
};

/** Times are those of `performance.now()`. `activeAt`: when it was last added, or claimed from. */
type RotatingWebhook = DueKey & { activeAt: number; claimableAt: number };
type Queue = Map<string, RotatingWebhook>;

const maxPerWebhook = 50;
const maxWebhooks = 200;
// Bounds the time that planning a claim takes.
const maxExamined = 500;
// This share of a claim is left for the backlog, so that fresh deliveries never stop it.
const backlogShare = 1 / 4;
// A webhook whose rate limit may have withheld deliveries is claimed from again after 100 ms, and removed after 2 s
// without a claimed delivery.
const rateLimitedWaitMs = 100;
const removeRateLimitedAfterMs = 2_000;

const keyOf = ({ webhookId, channel }: ClaimRequest | DueKey) => `${webhookId} ${channel}`;

/**
 * Thousands of retries that are due at once must not delay new events. So webhooks with due deliveries wait in two
 * queues. _Fresh_ ones are claimed from first: a notification named them, or the last claim returned only first
 * attempts. The _backlog_ has all others, mostly retries.
 *
 * A webhook moves to the end of its queue after a claim, and while it has no free permit. It leaves when a claim finds
 * fewer deliveries than requested, unless it was added meanwhile or its rate limit may be the cause.
 */
export class WebhookRotation {
  readonly #channels: Channel[];
  readonly #now: () => number;
  // A webhook is in one of the two.
  readonly #fresh: Queue = new Map();
  readonly #backlog: Queue = new Map();
  // When rate-limited webhooks may be claimed from again, in order.
  readonly #claimableAtTimes: number[] = [];

  /** Takes only webhooks of these channels. */
  constructor({ channels, now = () => performance.now() }: { channels: Channel[]; now?: () => number }) {
    this.#channels = channels;
    this.#now = now;
  }

  get size(): number {
    return this.#fresh.size + this.#backlog.size;
  }

  /** Milliseconds until the first rate-limited webhook may be claimed from again; Infinity if none waits. */
  msUntilRateLimitWaitEnds(): number {
    return Math.max(0, (this.#claimableAtTimes[0] ?? Infinity) - this.#now());
  }

  addFresh(due: DueKey[]): void {
    for (const webhook of due) {
      const key = keyOf(webhook);
      const known = this.#backlog.get(key);
      this.#backlog.delete(key);
      this.#add(this.#fresh, known ?? webhook);
    }
  }

  addBacklog(due: DueKey[]): void {
    for (const webhook of due) this.#add(this.#fresh.has(keyOf(webhook)) ? this.#fresh : this.#backlog, webhook);
  }

  /** Selects what to claim now: of fresh webhooks first. */
  planClaim({ availableLeases, availableRetries, budget }: ClaimLimits): ClaimRequest[] {
    const now = this.#now();
    const times = this.#claimableAtTimes;
    while (times[0] !== undefined && times[0] <= now) times.shift();
    const requests: ClaimRequest[] = [];
    // A second request for a webhook would spend its rate limit twice in one statement.
    const webhookIds = new Set<string>();
    /** Requests up to `max` deliveries of webhooks in a queue. Returns how many. */
    const request = (queue: Queue, max: number): number => {
      let left = max;
      for (const [key, webhook] of firstOf(queue, maxExamined)) {
        if (left <= 0 || requests.length >= maxWebhooks) break;
        const { webhookId, accountId, channel, claimableAt } = webhook;
        if (claimableAt > now || webhookIds.has(webhookId)) continue;
        const limit = budget.reserve(webhookId, accountId, Math.min(maxPerWebhook, left));
        if (limit === 0) {
          moveToEnd(queue, key, webhook);
          continue;
        }
        requests.push({ webhookId, channel, limit });
        webhookIds.add(webhookId);
        left -= limit;
      }
      return max - left;
    };
    const reserved =
      this.#backlog.size > 0 ? Math.min(Math.floor(availableLeases * backlogShare), availableRetries) : 0;
    const freshCount = request(this.#fresh, availableLeases - reserved);
    request(this.#backlog, Math.min(availableLeases - freshCount, availableRetries));
    return requests;
  }

  /**
   * Reports the result of a claim. `idsWithRateLimit`: webhooks whose rate limit may have withheld deliveries.
   */
  reportClaim(
    requests: ClaimRequest[],
    tasks: DeliveryTask[],
    { startedAtMonotonicMs, idsWithRateLimit }: { startedAtMonotonicMs: number; idsWithRateLimit: Set<string> },
  ): void {
    const now = this.#now();
    const tasksByWebhook = groupBy(tasks, ({ webhookId }) => webhookId);
    for (const request of requests) {
      const key = keyOf(request);
      const wasFresh = this.#fresh.has(key);
      const webhook = this.#fresh.get(key) ?? this.#backlog.get(key);
      if (!webhook) continue;
      const claimed = tasksByWebhook.get(request.webhookId) ?? [];
      // The claim may not have seen deliveries that became due while it ran.
      const wasAddedMeanwhile = webhook.activeAt >= startedAtMonotonicMs;
      if (claimed.length > 0) webhook.activeAt = now;
      this.#fresh.delete(key);
      this.#backlog.delete(key);
      const isFresh = claimed.length === 0 || wasAddedMeanwhile ? wasFresh : claimed.every(isFirstAttempt);
      const queue = isFresh ? this.#fresh : this.#backlog;
      if (claimed.length >= request.limit || wasAddedMeanwhile) {
        webhook.claimableAt = -Infinity;
        queue.set(key, webhook);
      } else if (idsWithRateLimit.has(request.webhookId) && now - webhook.activeAt < removeRateLimitedAfterMs) {
        webhook.claimableAt = now + rateLimitedWaitMs;
        queue.set(key, webhook);
        if (this.#claimableAtTimes.at(-1) !== webhook.claimableAt) this.#claimableAtTimes.push(webhook.claimableAt);
      }
    }
  }

  #add(queue: Queue, webhook: DueKey): void {
    if (!this.#channels.includes(webhook.channel)) return;
    const key = keyOf(webhook);
    const known = queue.get(key);
    if (known) known.activeAt = this.#now();
    else queue.set(key, { claimableAt: -Infinity, ...webhook, activeAt: this.#now() });
  }
}

function moveToEnd(queue: Queue, key: string, webhook: RotatingWebhook): void {
  queue.delete(key);
  queue.set(key, webhook);
}

function firstOf<T>(items: Iterable<T>, maxCount: number): T[] {
  const result: T[] = [];
  for (const item of items) {
    if (result.length >= maxCount) break;
    result.push(item);
  }
  return result;
}
