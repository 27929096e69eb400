/**
 * How quickly attempts to a receiver end, not whether they succeed: a refused connection is healthy, because it does
 * not hold a permit for long. Judged by the last attempt of its webhook that ended, and by those in flight.
 *
 * - `healthy`: the last attempt ended in less than 500 ms, with or without a response.
 * - `slow`: the last attempt ended with a response after 500 ms or more.
 * - `unresponsive`: the last attempt ended without a response after 500 ms or more, or an attempt in flight has lasted
 *   for `unresponsiveMs`.
 */
export type ReceiverHealth = 'healthy' | 'slow' | 'unresponsive';

/** How an attempt ended. `hasResponse` is false after a timeout or any other failure without a response. */
export type AttemptTiming = { durationMs: number; hasResponse: boolean };

const slowMs = 500;

// After this time in flight, an attempt makes a receiver of this health unresponsive. A slow one gets more time.
const unresponsiveMs: Record<ReceiverHealth, number> = { healthy: slowMs, slow: 2_000, unresponsive: Infinity };

/** The health of a receiver after an attempt has ended. */
export function healthAfter({ durationMs, hasResponse }: AttemptTiming): ReceiverHealth {
  if (durationMs < slowMs) return 'healthy';
  return hasResponse ? 'slow' : 'unresponsive';
}

/** Whether a receiver of this health becomes unresponsive because an attempt has been in flight for this long. */
export const isOverdue = (health: ReceiverHealth, inFlightMs: number): boolean => inFlightMs >= unresponsiveMs[health];

const limits = { initial: 4, min: 2, maxWhenSlow: 10 };

/** The highest limit of a webhook in a worker with this `concurrency`. */
const maxLimit = (concurrency: number) => Math.max(limits.min, Math.floor(concurrency / 4));

/** The limit of a webhook without attempts yet. */
export const initialLimit = (concurrency: number): number => Math.min(limits.initial, maxLimit(concurrency));

/**
 * The next limit of a webhook, by additive increase and multiplicative decrease (AIMD). An attempt that left the
 * receiver unresponsive halves it, to no less than 2. Any other raises it by one if all permits were in use, to at most
 * a quarter of `concurrency` (or 2), and to 10 while the receiver is slow.
 */
export function nextLimit(
  limit: number,
  { health, wasAtLimit, concurrency }: { health: ReceiverHealth; wasAtLimit: boolean; concurrency: number },
): number {
  if (health === 'unresponsive') return Math.max(limits.min, Math.floor(limit / 2));
  const max = health === 'slow' ? Math.min(limits.maxWhenSlow, maxLimit(concurrency)) : maxLimit(concurrency);
  return Math.min(wasAtLimit ? limit + 1 : limit, max);
}

/** Permission for one attempt. It must be released when the attempt has been recorded, or when none is made. */
export type Permit = {
  /**
   * Marks the request as in flight, just before it is sent. False when the limiter has closed: then it must not be
   * sent.
   */
  tryStartRequest(): boolean;
  /**
   * Reports how the request ended, which may change the webhook's limit and health. Does nothing if none was started.
   */
  reportRequestEnd(timing: AttemptTiming): void;
  /** Gives the permit back. A second call does nothing. */
  release(): void;
};

/**
 * What the limiter knows about a webhook, while the webhook has permits or waiting deliveries. If its receiver is slow
 * or unresponsive, the limiter keeps this object for a minute after the last release of a permit.
 */
export type LimitedWebhook = {
  webhookId: string;
  accountId: string;
  limit: number;
  health: ReceiverHealth;
  /** Whether an attempt has ended with a healthy receiver since this object was created. */
  hasHadHealthyAttempt: boolean;
  /** When a permit was last released, else when this object was created. */
  lastReleasedAtMonotonicMs: number;
  /** The granted permits: of attempts that are prepared, in flight, or being recorded. */
  permits: Set<Permit>;
  /** The attempts in flight, the oldest first, each with the time at which its request started. */
  inFlight: Map<Permit, number>;
  /** Deliveries that wait for a permit, the oldest first. */
  waiting: { sinceMonotonicMs: number; resolve(permit: Permit | null): void }[];
};

/**
 * The webhooks that have deliveries waiting for a permit, grouped by account. The accounts, and the webhooks of each,
 * are in the order in which they are served.
 */
export class WaitingWebhooks {
  readonly #accounts = new Map<string, Set<LimitedWebhook>>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Resolves with a permit, or with null when the wait ends without one. */
  wait(webhook: LimitedWebhook): Promise<Permit | null> {
    return new Promise((resolve) => {
      webhook.waiting.push({ sinceMonotonicMs: this.#now(), resolve });
      this.#update(webhook);
    });
  }

  /** Gives a permit to the delivery that has waited longest. Moves the webhook and its account to the end. */
  serve(webhook: LimitedWebhook, permit: Permit): void {
    webhook.waiting.shift()?.resolve(permit);
    const webhooks = this.#accounts.get(webhook.accountId) ?? new Set();
    webhooks.delete(webhook);
    this.#accounts.delete(webhook.accountId);
    if (webhooks.size > 0) this.#accounts.set(webhook.accountId, webhooks);
    this.#update(webhook);
  }

  /** Ends the waits of a webhook that have lasted for `minMs`, without a permit. */
  end(webhook: LimitedWebhook, minMs: number): void {
    const now = this.#now();
    const count = webhook.waiting.filter(({ sinceMonotonicMs }) => now - sinceMonotonicMs >= minMs).length;
    if (count === 0) return;
    for (const { resolve } of webhook.waiting.splice(0, count)) resolve(null);
    this.#update(webhook);
  }

  ofAccount(accountId: string): LimitedWebhook[] {
    return [...(this.#accounts.get(accountId) ?? [])];
  }

  /**
   * Each account with its webhooks, in order. An account that is moved to the end during the iteration is visited
   * again.
   */
  byAccount(): Iterable<[string, Iterable<LimitedWebhook>]> {
    return this.#accounts;
  }

  /** Adds the webhook at the end if it has waiting deliveries and is absent, and removes it if it has none. */
  #update(webhook: LimitedWebhook): void {
    const { accountId, waiting } = webhook;
    const webhooks = this.#accounts.get(accountId) ?? new Set();
    if (waiting.length > 0) webhooks.add(webhook);
    else webhooks.delete(webhook);
    if (webhooks.size > 0) this.#accounts.set(accountId, webhooks);
    else this.#accounts.delete(accountId);
  }
}
