import type { PaceAnnouncement } from '@ringback/ledger';
import { type Channel, channels as allChannels } from '@ringback/rules';
import { type AttemptEnd, healthAfter, LimitedWebhook, type Permit, type ReceiverHealth } from './limited-webhook.js';
import { type AnnouncePaces, PaceAnnouncer } from './pace-announcer.js';
import { AttemptQuotas } from './quotas.js';
import { WaitingWebhooks } from './waiting-webhooks.js';

// An attempt needs a permit, from before its request until it is recorded:
//
//   const permit = await limiter.acquire(webhookId, accountId);
//   if (permit === null) return release(lease);            // wait in the database instead
//   if (permit.tryStartRequest()) {
//     const sent = await send(callback);
//     permit.reportRequestEnd({ durationMs: 40, hasResponse: true });
//   }                                                      // else the receiver has just said "too fast"
//   await record(attempt);
//   permit.release();                                      // goes to the account that was served least recently
//
// Example, with a concurrency of 40. A new webhook has a limit of 4: four attempts get a permit, the next 8 wait here
// for up to 2 s, and any more get null. Each response at the limit raises it by one, up to 10, a quarter of 40. An
// attempt without a response in 0.5 s halves it and makes the receiver unresponsive; nothing waits here for it then.

/** How many permits a claim may count on. Nothing is acquired yet: each attempt does that when it starts. */
export type ClaimBudget = {
  /** Reserves up to `max` permits for a webhook, and returns how many. */
  reserve(webhookId: string, accountId: string, max: number): number;
  /** How long until more may be reserved for an overloaded receiver for which nothing could be. */
  waitMs(): number;
};

const maxBlockedListed = 1_000;
const tickMs = 100;
const maxWaitMs = 2_000;

type LimiterSettings = {
  concurrency: number;
  /** Those of which this worker makes attempts. */
  channels?: Channel[];
  announce?: AnnouncePaces;
  /** Called when the last delivery that waited for an overloaded receiver starts: more may be leased. */
  onLeasable?: () => void;
  now?: () => number;
  /** Starts to run a check every 100 ms. Returns what ends that. */
  repeat?: (check: () => void) => () => void;
  /** Runs a check once after a time. Returns what prevents that. */
  after?: (ms: number, check: () => void) => () => void;
};

const repeatEveryTick = (check: () => void) => {
  const timer = setInterval(check, tickMs).unref();
  return () => clearInterval(timer);
};

const runAfter = (ms: number, check: () => void) => {
  const timer = setTimeout(check, ms).unref();
  return () => clearTimeout(timer);
};

/**
 * Without limits, one receiver that hangs would soon hold all attempts of a worker. So each webhook has a limit that
 * adapts (`nextLimit`), under quotas that webhooks share (`AttemptQuotas`). Both follow the receiver's health.
 *
 * An overloaded receiver also has a pace (`Pace`), which says when its next requests may start.
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
  readonly #after: (ms: number, check: () => void) => () => void;
  readonly #quotas: AttemptQuotas;
  /**
   * The webhooks that have permits or waiting deliveries. One with a slow, unresponsive or overloaded receiver stays
   * for a minute after the last release of a permit.
   */
  readonly #webhooks = new Map<string, LimitedWebhook>();
  /** The webhooks with a slow or unresponsive receiver. */
  readonly #unhealthy = new Set<LimitedWebhook>();
  /** The webhooks with an overloaded receiver. */
  readonly #paced = new Set<LimitedWebhook>();
  readonly #announcer: PaceAnnouncer;
  readonly #waiting: WaitingWebhooks;
  readonly #onLeasable: () => void;
  #stopChecks: (() => void) | undefined;
  // When waiting deliveries are looked at next, because a pace then allows one.
  #wakeAtMonotonicMs = Infinity;
  #stopWake = () => {};
  #isClosed = false;

  constructor(settings: LimiterSettings) {
    const { concurrency, channels = allChannels, announce = () => {}, onLeasable = () => {} } = settings;
    const { now = () => performance.now(), repeat = repeatEveryTick, after = runAfter } = settings;
    this.#concurrency = concurrency;
    this.#now = now;
    this.#repeat = repeat;
    this.#after = after;
    this.#announcer = new PaceAnnouncer([...channels], announce);
    this.#quotas = AttemptQuotas.ofWorker(concurrency);
    this.#waiting = new WaitingWebhooks(now);
    this.#onLeasable = onLeasable;
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
    if (!webhook.hasRoomToWait(this.#now()) || this.#isPresumedUnresponsive(webhook)) return null;
    this.#webhooks.set(webhookId, webhook);
    this.#wakeForPace(webhook);
    return this.#waiting.wait(webhook);
  }

  /** Another worker tells of overloaded receivers to which it sends. This one ends the waits for them. */
  hear(announcement: PaceAnnouncement): void {
    const relation = this.#announcer.relationTo(announcement);
    if (relation === null || this.#isClosed) return;
    for (const { webhookId, accountId, pauseMs, rate } of announcement.paces) {
      const webhook = this.#entryOf(webhookId, accountId);
      webhook.startPace(this.#now()).hear(this.#now(), { pauseMs, rate, ...relation });
      this.#keepPaced(webhook);
    }
  }

  /** How many webhooks with an overloaded receiver this worker sends to. */
  get overloadedCount(): number {
    return [...this.#paced].filter(({ pace }) => pace?.isOwn).length;
  }

  /** Grants no more permits, starts no more attempts, and ends all waits. */
  close(): void {
    this.#isClosed = true;
    for (const webhook of [...this.#webhooks.values()]) this.#endWaits(webhook);
  }

  /**
   * The ids of up to 1,000 webhooks with an overloaded receiver, or with a slow or unresponsive one and no free permit.
   * What is due to an overloaded receiver waits in one order, so new deliveries wait too.
   */
  listBlockedWebhooks(): string[] {
    const ids: string[] = [];
    for (const { webhookId } of this.#paced) {
      if (ids.length >= maxBlockedListed) break;
      ids.push(webhookId);
    }
    for (const webhook of this.#unhealthy) {
      if (ids.length >= maxBlockedListed) break;
      if (!this.#hasFreePermit(webhook)) ids.push(webhook.webhookId);
    }
    return ids;
  }

  createClaimBudget(): ClaimBudget {
    const trial = this.#quotas.fork();
    let waitMs = Infinity;
    return {
      waitMs: () => waitMs,
      reserve: (webhookId, accountId, max) => {
        const webhook = this.#entryOf(webhookId, accountId);
        const leasable = webhook.countLeasable(this.#now());
        if (leasable === 0) waitMs = Math.min(waitMs, webhook.msUntilLeasable(this.#now()));
        const free = Math.min(this.#countFreePermits(webhook, trial) - webhook.waiting.length, leasable);
        const count = Math.max(0, Math.min(free, trial.available(), max));
        if (count > 0) trial.add(webhook, count);
        return count;
      },
    };
  }

  #entryOf(webhookId: string, accountId: string): LimitedWebhook {
    const known = this.#webhooks.get(webhookId);
    if (known) return known;
    return new LimitedWebhook(webhookId, accountId, { concurrency: this.#concurrency, nowMs: this.#now() });
  }

  /** How many permits the webhook's limit and the quotas of its account and its health leave. */
  #countFreePermits(webhook: LimitedWebhook, quotas = this.#quotas): number {
    return Math.min(webhook.limit - webhook.permits.size, quotas.availableToClass(webhook));
  }

  #hasFreePermit(webhook: LimitedWebhook): boolean {
    if (!webhook.mayStart(this.#now())) return false;
    return this.#countFreePermits(webhook) > 0 && this.#quotas.available() > 0;
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
    webhook.pace?.start(this.#now());
    const { permits, inFlight, epoch } = webhook;
    let hasEnded = false;
    const permit: Permit = {
      tryStartRequest: () => {
        if (this.#isClosed || webhook.epoch !== epoch) return false;
        inFlight.set(permit, this.#now());
        return true;
      },
      reportRequestEnd: (end) => {
        if (!inFlight.delete(permit)) return null;
        hasEnded = true;
        this.#judgeEnded(webhook, end);
        return this.#adaptPace(webhook, end, epoch);
      },
      release: () => {
        inFlight.delete(permit);
        if (!hasEnded) webhook.pace?.cancel(this.#now(), epoch);
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
    this.#dropIfIdle(webhook);
  }

  /** Judges the receiver by an attempt that has ended, and adapts the webhook's limit. */
  #judgeEnded(webhook: LimitedWebhook, end: AttemptEnd): void {
    const health = healthAfter(end);
    webhook.adaptLimit(health, this.#concurrency);
    this.#setHealth(webhook, health);
  }

  /** Adapts the webhook's pace to an attempt that has ended. Returns the pause in ms that begins with it, or null. */
  #adaptPace(webhook: LimitedWebhook, end: AttemptEnd, epoch: number): number | null {
    const now = this.#now();
    const pauseMs = webhook.adaptPace(end, epoch, now);
    if (pauseMs !== null) {
      this.#keepPaced(webhook);
      this.#announcer.announce([webhook], now);
    } else if (webhook.pace?.isOpen) this.#paced.delete(webhook);
    return pauseMs;
  }

  /** Keeps a webhook whose pace has just paused, and sends back what waits: the pace decides what is leased next. */
  #keepPaced(webhook: LimitedWebhook): void {
    if (webhook.pace?.isOpen) return;
    this.#paced.add(webhook);
    this.#webhooks.set(webhook.webhookId, webhook);
    this.#stopChecks ??= this.#repeat(() => this.#checkAll());
    this.#endWaits(webhook);
  }

  /** Judges the receiver by its oldest attempt in flight. */
  #judgeInFlight(webhook: LimitedWebhook): void {
    if (webhook.hasOverdueAttempt(this.#now())) this.#setHealth(webhook, 'unresponsive');
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
        this.#wakeForPace(webhook);
        if (!this.#hasFreePermit(webhook)) continue;
        this.#waiting.serve(webhook, this.#grant(webhook));
        if (webhook.pace && webhook.waiting.length === 0) this.#onLeasable();
        break;
      }
    }
  }

  /**
   * Looks at waiting deliveries again when the webhook's pace allows one. What waits for something else is admitted
   * when an attempt ends.
   */
  #wakeForPace({ pace }: LimitedWebhook): void {
    const ms = pace?.msUntilNext(this.#now()) ?? 0;
    const atMonotonicMs = this.#now() + ms;
    if (ms === 0 || atMonotonicMs >= this.#wakeAtMonotonicMs) return;
    this.#stopWake();
    this.#wakeAtMonotonicMs = atMonotonicMs;
    this.#stopWake = this.#after(Math.ceil(ms), () => {
      this.#wakeAtMonotonicMs = Infinity;
      this.#admitWaiting();
    });
  }

  #checkAll(): void {
    for (const webhook of this.#webhooks.values()) {
      this.#judgeInFlight(webhook);
      this.#endWaits(webhook, maxWaitMs);
      this.#dropIfIdle(webhook);
    }
    this.#admitWaiting();
    if (this.#paced.size > 0) this.#announcer.announceEverySecond(this.#paced, this.#now());
    if (this.#webhooks.size > 0) return;
    this.#stopChecks?.();
    this.#stopChecks = undefined;
  }

  /** Ends the waits of a webhook that have lasted for `minMs`. */
  #endWaits(webhook: LimitedWebhook, minMs = 0): void {
    this.#waiting.end(webhook, minMs);
    this.#dropIfIdle(webhook);
  }

  /** Forgets a webhook without attempts: at once, or a minute later if its receiver is unhealthy or overloaded. */
  #dropIfIdle(webhook: LimitedWebhook): void {
    if (!webhook.isIdle) return;
    if (this.#unhealthy.has(webhook) || this.#paced.has(webhook)) {
      if (!webhook.isOutdated(this.#now())) return;
      this.#unhealthy.delete(webhook);
      this.#paced.delete(webhook);
    }
    this.#webhooks.delete(webhook.webhookId);
  }
}
