import { AttemptQuotas, type ReceiverHealth } from './quotas.js';
import { type WaitingDelivery, WaitingWebhooks } from './waiting-webhooks.js';

/** How an attempt ended. `hasResponse` is false after a timeout or any other failure without a response. */
export type AttemptTiming = { durationMs: number; hasResponse: boolean };

const slowMs = 500;

// After this time in flight, an attempt makes a receiver of this health unresponsive. A slow one gets more time.
const unresponsiveMs: Record<ReceiverHealth, number> = { healthy: slowMs, slow: 2_000, unresponsive: Infinity };

/** The health of a receiver after an attempt has ended. */
function healthAfter({ durationMs, hasResponse }: AttemptTiming): ReceiverHealth {
  if (durationMs < slowMs) return 'healthy';
  return hasResponse ? 'slow' : 'unresponsive';
}

/** Whether a receiver of this health becomes unresponsive because an attempt has been in flight for this long. */
const isOverdue = (health: ReceiverHealth, inFlightMs: number): boolean => inFlightMs >= unresponsiveMs[health];

const limits = { initial: 4, min: 2, maxWhenSlow: 10 };

/** The highest limit of a webhook in a worker with this `concurrency`. */
const maxLimit = (concurrency: number) => Math.max(limits.min, Math.floor(concurrency / 4));

/** The limit of a webhook without attempts yet. */
const initialLimit = (concurrency: number): number => Math.min(limits.initial, maxLimit(concurrency));

/**
 * The next limit of a webhook, by additive increase and multiplicative decrease (AIMD). An attempt that left the
 * receiver unresponsive halves it, to no less than 2. Any other raises it by one if all permits were in use, to at most
 * a quarter of `concurrency` (or 2), and to 10 while the receiver is slow.
 */
function nextLimit(
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
type LimitedWebhook = {
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
  waiting: WaitingDelivery[];
};

/** How many permits a claim may count on. Nothing is acquired yet: each attempt does that when it starts. */
export type ClaimBudget = {
  /** Reserves up to `max` permits for a webhook, and returns how many. */
  reserve(webhookId: string, accountId: string, max: number): number;
};

const maxBlockedListed = 1_000;
const tickMs = 100;
const dropUnhealthyAfterMs = 60_000;
const maxWaitMs = 2_000;

/** `repeat` starts to run a check every 100 ms, and returns what ends that. */
type LimiterSettings = {
  concurrency: number;
  now?: () => number;
  repeat?: (check: () => void) => () => void;
};

const repeatEveryTick = (check: () => void) => {
  const timer = setInterval(check, tickMs).unref();
  return () => clearInterval(timer);
};

/**
 * Without limits, one receiver that hangs would soon hold all attempts of a worker. So each webhook has a limit that
 * adapts (`nextLimit`), under quotas that webhooks share (`AttemptQuotas`). Both follow the receiver's health.
 *
 * A permit is held until the attempt is recorded, so that a crash repeats no more attempts than there are permits.
 *
 * For a healthy receiver, up to twice as many deliveries as the limit wait here for about 2 s. All others go back to
 * the database, where any worker may claim them.
 */
export class ConcurrencyLimiter {
  readonly #concurrency: number;
  readonly #now: () => number;
  readonly #repeat: (check: () => void) => () => void;
  readonly #quotas: AttemptQuotas;
  readonly #webhooks = new Map<string, LimitedWebhook>();
  /** The webhooks with a slow or unresponsive receiver. */
  readonly #unhealthy = new Set<LimitedWebhook>();
  readonly #waiting: WaitingWebhooks<LimitedWebhook>;
  #stopChecks: (() => void) | undefined;
  #isClosed = false;

  constructor({ concurrency, now = () => performance.now(), repeat = repeatEveryTick }: LimiterSettings) {
    this.#concurrency = concurrency;
    this.#now = now;
    this.#repeat = repeat;
    this.#quotas = AttemptQuotas.ofWorker(concurrency);
    this.#waiting = new WaitingWebhooks(now);
  }

  /**
   * Resolves with a permit for one attempt. Resolves with null if the limiter is closed, if the delivery may not wait
   * for a permit, or if its wait ends without one.
   */
  async acquire(webhookId: string, accountId: string): Promise<Permit | null> {
    if (this.#isClosed) return null;
    const webhook = this.#entryOf(webhookId, accountId);
    this.#judgeInFlight(webhook);
    if (webhook.waiting.length === 0 && this.#hasFreePermit(webhook)) return this.#grant(webhook);
    if (!this.#mayWait(webhook)) return null;
    this.#webhooks.set(webhookId, webhook);
    return this.#waiting.wait(webhook);
  }

  /** Grants no more permits, starts no more attempts, and ends all waits. */
  close(): void {
    this.#isClosed = true;
    for (const webhook of [...this.#webhooks.values()]) this.#endWaits(webhook);
  }

  /** The ids of up to 1,000 webhooks with a slow or unresponsive receiver and no free permit. */
  listBlockedWebhooks(): string[] {
    const ids: string[] = [];
    for (const webhook of this.#unhealthy) {
      if (ids.length >= maxBlockedListed) break;
      if (!this.#hasFreePermit(webhook)) ids.push(webhook.webhookId);
    }
    return ids;
  }

  createClaimBudget(): ClaimBudget {
    const trial = this.#quotas.fork();
    return {
      reserve: (webhookId, accountId, max) => {
        const webhook = this.#entryOf(webhookId, accountId);
        const free = this.#countFreePermits(webhook, trial) - webhook.waiting.length;
        const count = Math.max(0, Math.min(free, trial.available(), max));
        if (count > 0) trial.add(webhook, count);
        return count;
      },
    };
  }

  #entryOf(webhookId: string, accountId: string): LimitedWebhook {
    const known = this.#webhooks.get(webhookId);
    if (known) return known;
    return {
      webhookId,
      accountId,
      limit: initialLimit(this.#concurrency),
      health: 'healthy',
      hasHadHealthyAttempt: false,
      lastReleasedAtMonotonicMs: this.#now(),
      permits: new Set(),
      inFlight: new Map(),
      waiting: [],
    };
  }

  /** How many permits the webhook's limit and the quotas of its account and its health leave. */
  #countFreePermits(webhook: LimitedWebhook, quotas = this.#quotas): number {
    return Math.min(webhook.limit - webhook.permits.size, quotas.availableToClass(webhook));
  }

  #hasFreePermit(webhook: LimitedWebhook): boolean {
    return this.#countFreePermits(webhook) > 0 && this.#quotas.available() > 0;
  }

  #mayWait(webhook: LimitedWebhook): boolean {
    const { health, waiting, limit } = webhook;
    return health === 'healthy' && waiting.length < 2 * limit && !this.#isPresumedUnresponsive(webhook);
  }

  /**
   * Whether a webhook is presumed unresponsive: none of its attempts was healthy, and its account has used up the quota
   * of attempts to unresponsive receivers.
   */
  #isPresumedUnresponsive({ accountId, hasHadHealthyAttempt }: LimitedWebhook): boolean {
    return !hasHadHealthyAttempt && this.#quotas.isUnresponsiveQuotaExhausted(accountId);
  }

  #grant(webhook: LimitedWebhook): Permit {
    this.#webhooks.set(webhook.webhookId, webhook);
    this.#quotas.add(webhook, 1);
    this.#stopChecks ??= this.#repeat(() => this.#checkAll());
    const { permits, inFlight } = webhook;
    const permit: Permit = {
      tryStartRequest: () => {
        if (this.#isClosed) return false;
        inFlight.set(permit, this.#now());
        return true;
      },
      reportRequestEnd: (timing) => {
        if (inFlight.delete(permit)) this.#judgeEnded(webhook, timing);
      },
      release: () => {
        inFlight.delete(permit);
        if (permits.delete(permit)) this.#takeBack(webhook);
      },
    };
    permits.add(permit);
    return permit;
  }

  #takeBack(webhook: LimitedWebhook): void {
    this.#quotas.add(webhook, -1);
    webhook.lastReleasedAtMonotonicMs = this.#now();
    this.#admitWaiting();
    this.#dropIfHealthyAndIdle(webhook);
  }

  /** Judges the receiver by an attempt that has ended, and adapts the webhook's limit. */
  #judgeEnded(webhook: LimitedWebhook, timing: AttemptTiming): void {
    const wasAtLimit = webhook.permits.size >= webhook.limit;
    const health = healthAfter(timing);
    this.#setHealth(webhook, health);
    webhook.hasHadHealthyAttempt ||= health === 'healthy';
    webhook.limit = nextLimit(webhook.limit, { health, wasAtLimit, concurrency: this.#concurrency });
  }

  /** Judges the receiver by its oldest attempt in flight. */
  #judgeInFlight(webhook: LimitedWebhook): void {
    const [oldest] = webhook.inFlight.values();
    if (oldest !== undefined && isOverdue(webhook.health, this.#now() - oldest))
      this.#setHealth(webhook, 'unresponsive');
  }

  /**
   * Charges the webhook's permits to the quotas of its new health. When it has become slow or unresponsive, ends its
   * waits, and those of its account's webhooks that are now presumed unresponsive.
   */
  #setHealth(webhook: LimitedWebhook, health: ReceiverHealth): void {
    if (webhook.health === health) return;
    this.#quotas.add(webhook, -webhook.permits.size);
    webhook.health = health;
    this.#quotas.add(webhook, webhook.permits.size);
    if (health === 'healthy') return void this.#unhealthy.delete(webhook);
    this.#unhealthy.add(webhook);
    this.#endWaits(webhook);
    for (const other of this.#waiting.ofAccount(webhook.accountId))
      if (this.#isPresumedUnresponsive(other)) this.#endWaits(other);
  }

  /**
   * Grants free permits to waiting deliveries. The account, and its webhook, that were served least recently come
   * first.
   */
  #admitWaiting(): void {
    for (const [accountId, waiting] of this.#waiting.byAccount) {
      if (this.#quotas.available() <= 0) return;
      // The account may have thousands of waiting webhooks, none of which could be served.
      if (this.#quotas.availableToAccount(accountId) <= 0) continue;
      for (const webhook of waiting) {
        if (!this.#hasFreePermit(webhook)) continue;
        this.#waiting.serve(webhook, this.#grant(webhook));
        break;
      }
    }
  }

  #checkAll(): void {
    for (const webhook of this.#webhooks.values()) {
      this.#judgeInFlight(webhook);
      this.#endWaits(webhook, maxWaitMs);
      this.#dropIfUnhealthyAndIdle(webhook);
    }
    this.#admitWaiting();
    if (this.#webhooks.size > 0) return;
    this.#stopChecks?.();
    this.#stopChecks = undefined;
  }

  /** Ends the waits of a webhook that have lasted for `minMs`. */
  #endWaits(webhook: LimitedWebhook, minMs = 0): void {
    this.#waiting.end(webhook, minMs);
    this.#dropIfHealthyAndIdle(webhook);
  }

  #dropIfHealthyAndIdle({ webhookId, health, permits, waiting }: LimitedWebhook): void {
    if (health === 'healthy' && permits.size + waiting.length === 0) this.#webhooks.delete(webhookId);
  }

  #dropIfUnhealthyAndIdle(webhook: LimitedWebhook): void {
    const { webhookId, health, permits, lastReleasedAtMonotonicMs } = webhook;
    if (health === 'healthy' || permits.size > 0) return;
    if (this.#now() - lastReleasedAtMonotonicMs < dropUnhealthyAfterMs) return;
    this.#unhealthy.delete(webhook);
    this.#webhooks.delete(webhookId);
  }
}
