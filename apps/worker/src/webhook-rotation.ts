import type { Channel } from '@ringback/rules';
import { type ClaimResult, type Due, type DueKey, earlierDueAt, isFirstAttempt } from '@ringback/ledger';
import { EndableWait, groupBy } from '@ringback/process';
import type { ClaimBudget } from './limits/limiter.js';

export type ClaimLimits = {
  /** Maximum deliveries to claim. */
  availableLeases: number;
  /** Maximum deliveries to claim of webhooks in the backlog. */
  availableRetries: number;
  budget: Pick<ClaimBudget, 'reserve'>;
};

type PlannedClaim = DueKey & {
  limit: number;
  /** Whether the webhook was taken from the fresh ones. */
  isFresh: boolean;
  activeAtMonotonicMs: number;
};
/** Deliveries that are leased by their ids, each with the time from which it was due. */
export type PlannedLeases = PlannedClaim & { known: { id: string; dueAt: string }[] };
/** A search for up to `limit` deliveries that are due since `dueFrom`. */
export type PlannedSearch = PlannedClaim & { dueFrom: string };
type Planned = PlannedLeases | PlannedSearch;

type RotatingWebhook = DueKey & {
  /** Due deliveries whose ids are known, with the time from which each was due. */
  known: Map<string, string>;
  /** Further deliveries are due since then, and must be searched for; null without any. */
  dueFrom: string | null;
  /** When it was last added, or claimed from. */
  activeAtMonotonicMs: number;
};
type Queue = Map<string, RotatingWebhook>;
/** `queue`: the one to which the webhook returns. */
type RateLimitWait = { webhook: RotatingWebhook; queue: Queue; endsAtMonotonicMs: number };

const maxPerWebhook = 50;
const maxWebhooks = 200;
// Bounds the memory for ids. Deliveries beyond it are searched for.
const maxKnown = 10_000;
// Bounds the time that planning a claim takes.
const maxExamined = 500;
// This share of a claim is left for the backlog, so that fresh deliveries never stop it.
const backlogShare = 1 / 4;
// A webhook whose rate limit may have withheld deliveries is in no queue for 100 ms. It is removed after 2 s without a
// claimed delivery.
const rateLimitedWaitMs = 100;
const removeRateLimitedAfterMs = 2_000;

const keyOf = ({ webhookId, channel }: DueKey) => `${webhookId} ${channel}`;

/**
 * Thousands of retries that are due at once must not delay new events. So webhooks with due deliveries wait in two
 * queues. _Fresh_ ones are claimed from first: a notification named them, or the last claim returned only first
 * attempts. The _backlog_ has all others, mostly retries.
 *
 * Up to 50 deliveries of a webhook are known by their ids, and leased without a search. A plan takes out what it
 * claims, and puts the webhook at the end of its queue. What a claim may have left is put back when it is reported.
 */
export class WebhookRotation {
  readonly #channels: Channel[];
  readonly #now: () => number;
  // A webhook is in one of the three.
  readonly #fresh: Queue = new Map();
  readonly #backlog: Queue = new Map();
  // In the order in which they end.
  readonly #rateLimitWaits = new Map<string, RateLimitWait>();
  #knownCount = 0;
  #hasChanged = false;
  readonly #wait = new EndableWait();

  /** Takes only webhooks of these channels. */
  constructor({ channels, now = () => performance.now() }: { channels: Channel[]; now?: () => number }) {
    this.#channels = channels;
    this.#now = now;
  }

  get size(): number {
    return this.#fresh.size + this.#backlog.size + this.#rateLimitWaits.size;
  }

  /** Resolves as soon as something is added, may be claimed again, or `change` is called; at the latest after `ms`. */
  async waitForChange(ms: number): Promise<void> {
    const waitMs = Math.min(ms, this.msUntilRateLimitWaitEnds());
    if (!this.#hasChanged) await this.#wait.wait(waitMs);
    this.#hasChanged = false;
  }

  /** Ends the wait for a change: more may be claimed now. */
  change(): void {
    this.#hasChanged = true;
    this.#wait.end();
  }

  /** Milliseconds until the first rate-limited webhook may be claimed from again; Infinity if none waits. */
  msUntilRateLimitWaitEnds(): number {
    const [first] = this.#rateLimitWaits.values();
    return first ? Math.max(0, first.endsAtMonotonicMs - this.#now()) : Infinity;
  }

  addFresh(due: Due[]): void {
    for (const one of due) {
      const key = keyOf(one);
      const inBacklog = this.#backlog.get(key);
      if (inBacklog) {
        this.#backlog.delete(key);
        this.#fresh.set(key, inBacklog);
      }
      const wait = this.#rateLimitWaits.get(key);
      if (wait) wait.queue = this.#fresh;
      this.#add(this.#fresh, one);
    }
    if (due.length > 0) this.change();
  }

  addBacklog(due: Due[]): void {
    for (const one of due) this.#add(this.#backlog, one);
    if (due.length > 0) this.change();
  }

  /** Takes out what to claim now: of fresh webhooks first. */
  planClaim({ availableLeases, availableRetries, budget }: ClaimLimits): {
    leases: PlannedLeases[];
    searches: PlannedSearch[];
  } {
    this.#endRateLimitWaits();
    const reserved =
      this.#backlog.size > 0 ? Math.min(Math.floor(availableLeases * backlogShare), availableRetries) : 0;
    const fresh = this.#take(this.#fresh, { max: availableLeases - reserved, budget, earlier: [] });
    const left = availableLeases - fresh.reduce((sum, { limit }) => sum + limit, 0);
    const backlog = this.#take(this.#backlog, { max: Math.min(left, availableRetries), budget, earlier: fresh });
    const planned = [...fresh, ...backlog];
    return { leases: planned.filter((one) => 'known' in one), searches: planned.filter((one) => 'dueFrom' in one) };
  }

  /** Takes up to `max` deliveries of the first webhooks in a queue, and puts these at its end. */
  #take(queue: Queue, { max, budget, earlier }: Pick<ClaimLimits, 'budget'> & { max: number; earlier: Planned[] }) {
    const taken: Planned[] = [];
    // A second search for a webhook would spend its rate limit twice in one statement.
    const webhookIds = new Set(earlier.map(({ webhookId }) => webhookId));
    let left = max;
    for (const [key, webhook] of firstOf(queue, maxExamined)) {
      if (left <= 0 || webhookIds.size >= maxWebhooks) break;
      if (webhookIds.has(webhook.webhookId)) continue;
      const planned = this.#takeFrom(webhook, { max: left, budget, isFresh: queue === this.#fresh });
      queue.delete(key);
      if (webhook.known.size > 0 || webhook.dueFrom !== null) queue.set(key, webhook);
      if (planned === null) continue;
      taken.push(planned);
      webhookIds.add(webhook.webhookId);
      left -= planned.limit;
    }
    return taken;
  }

  /** Takes known deliveries of a webhook, or else its search. Null without a permit. */
  #takeFrom(
    webhook: RotatingWebhook,
    { max, budget, isFresh }: Pick<ClaimLimits, 'budget'> & { max: number; isFresh: boolean },
  ): Planned | null {
    const { webhookId, channel, accountId, known, dueFrom, activeAtMonotonicMs } = webhook;
    const wanted = Math.min(maxPerWebhook, max, known.size > 0 ? known.size : Infinity);
    const limit = budget.reserve(webhookId, accountId, wanted);
    if (limit === 0) return null;
    const planned = { webhookId, channel, accountId, limit, isFresh, activeAtMonotonicMs };
    if (known.size > 0) return { ...planned, known: this.#takeKnown(known, limit) };
    if (dueFrom === null) return null;
    webhook.dueFrom = null;
    return { ...planned, dueFrom };
  }

  /** Puts back what was planned, because its claim failed. */
  giveBack(planned: Planned[]): void {
    for (const one of planned) {
      const queue = one.isFresh ? this.#fresh : this.#backlog;
      if ('dueFrom' in one) this.#putBack(queue, one, one.dueFrom);
      else for (const { id, dueAt } of one.known) this.#add(queue, { ...one, id, dueAt });
    }
  }

  /**
   * Reports a claim. What it may have left is put back: the deliveries beyond a search that found as many as it wanted,
   * and those of a webhook with a rate limit. Deliveries that were not leased by their ids are no longer due.
   */
  report(
    planned: Planned[],
    { tasks, idsWithRateLimit, leased }: Pick<ClaimResult, 'tasks' | 'idsWithRateLimit' | 'leased'>,
  ): void {
    const now = this.#now();
    const tasksByWebhook = groupBy(tasks, ({ webhookId }) => webhookId);
    for (const one of planned) {
      const { webhookId, limit, isFresh, activeAtMonotonicMs } = one;
      const hasRateLimit = idsWithRateLimit.has(webhookId);
      const claimed = tasksByWebhook.get(webhookId) ?? [];
      const queue = (claimed.length > 0 ? claimed.every(isFirstAttempt) : isFresh) ? this.#fresh : this.#backlog;
      if ('known' in one) {
        if (hasRateLimit) this.#putBack(queue, one, one.known.map(({ dueAt }) => dueAt).reduce(earlierDueAt));
        continue;
      }
      const { count, lastDueAt: dueFrom } = leased.get(webhookId) ?? { count: 0, lastDueAt: one.dueFrom };
      if (count >= limit) this.#putBack(queue, one, dueFrom);
      else if (hasRateLimit && (count > 0 || now - activeAtMonotonicMs < removeRateLimitedAfterMs)) {
        this.#putBack(queue, one, dueFrom, count > 0 ? now : activeAtMonotonicMs);
        this.#waitForRateLimit(keyOf(one));
      }
    }
  }

  #waitForRateLimit(key: string): void {
    const queue = this.#fresh.has(key) ? this.#fresh : this.#backlog;
    const webhook = queue.get(key);
    if (!webhook) return;
    queue.delete(key);
    this.#rateLimitWaits.set(key, { webhook, queue, endsAtMonotonicMs: this.#now() + rateLimitedWaitMs });
  }

  #endRateLimitWaits(): void {
    for (const [key, { webhook, queue, endsAtMonotonicMs }] of this.#rateLimitWaits) {
      if (endsAtMonotonicMs > this.#now()) return;
      this.#rateLimitWaits.delete(key);
      queue.set(key, webhook);
    }
  }

  #putBack(queue: Queue, key: DueKey, dueFrom: string, activeAtMonotonicMs = this.#now()): void {
    const webhook = this.#entry(queue, key);
    searchFrom(webhook, dueFrom);
    webhook.activeAtMonotonicMs = activeAtMonotonicMs;
  }

  #add(queue: Queue, { id, dueAt, ...key }: Due): void {
    if (!this.#channels.includes(key.channel)) return;
    const webhook = this.#entry(queue, key);
    webhook.activeAtMonotonicMs = this.#now();
    if (id !== null && webhook.known.has(id)) return;
    if (id !== null && webhook.known.size < maxPerWebhook && this.#knownCount < maxKnown) {
      webhook.known.set(id, dueAt);
      this.#knownCount++;
    } else searchFrom(webhook, dueAt);
  }

  /** The webhook's entry, or else a new one in `queue`. */
  #entry(queue: Queue, dueKey: DueKey): RotatingWebhook {
    const key = keyOf(dueKey);
    const found = this.#fresh.get(key) ?? this.#backlog.get(key) ?? this.#rateLimitWaits.get(key)?.webhook;
    if (found) return found;
    const { webhookId, channel, accountId } = dueKey;
    const webhook: RotatingWebhook = {
      webhookId,
      channel,
      accountId,
      known: new Map(),
      dueFrom: null,
      activeAtMonotonicMs: -Infinity,
    };
    queue.set(key, webhook);
    return webhook;
  }

  #takeKnown(known: Map<string, string>, count: number): PlannedLeases['known'] {
    const taken = firstOf(known, count).map(([id, dueAt]) => ({ id, dueAt }));
    for (const { id } of taken) known.delete(id);
    this.#knownCount -= taken.length;
    return taken;
  }
}

/** The next search of the webhook begins at this time, or earlier. */
function searchFrom(webhook: RotatingWebhook, dueAt: string): void {
  webhook.dueFrom = webhook.dueFrom === null ? dueAt : earlierDueAt(webhook.dueFrom, dueAt);
}

function firstOf<T>(items: Iterable<T>, maxCount: number): T[] {
  const result: T[] = [];
  for (const item of items) {
    if (result.length >= maxCount) break;
    result.push(item);
  }
  return result;
}
