import type { Overload } from '@ringback/rules';
import { Pace } from './pace.js';

/** How an attempt ended. `overload`: the response said "too fast". */
export type AttemptEnd = AttemptTiming & { overload?: Overload | null };

/** Permission for one attempt. It must be released when the attempt has been recorded, or when none is made. */
export type Permit = {
  /**
   * Marks the request as in flight, just before it is sent. False when the limiter has closed, or the receiver has
   * refused a request since this permit was granted: then it must not be sent.
   */
  tryStartRequest(): boolean;
  /**
   * Reports how the request ended, which may change the webhook's limit, health and pace. Does nothing if none was
   * started. Returns the pause in ms that begins when the receiver refused the request as too fast, otherwise null.
   */
  reportRequestEnd(end: AttemptEnd): number | null;
  /** Gives the permit back. A second call does nothing. */
  release(): void;
};

/** A delivery that waits for a permit. */
export type WaitingDelivery = { sinceMonotonicMs: number; resolve(permit: Permit | null): void };

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

/** How long an attempt took. `hasResponse` is false after a timeout or any other failure without a response. */
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

/** Counts what a receiver took, in the current second and in the one before: two numbers for each busy webhook. */
export class TakenCount {
  #second = -Infinity;
  #count = 0;
  #previousCount = 0;

  add(nowMs: number): void {
    this.#advance(nowMs);
    this.#count++;
  }

  /** How many were taken in the second before `nowMs`, if what was taken before the current second came evenly. */
  perSecond(nowMs: number): number {
    this.#advance(nowMs);
    return this.#count + this.#previousCount * (1 - (nowMs / 1_000 - this.#second));
  }

  #advance(nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    if (second === this.#second) return;
    this.#previousCount = second === this.#second + 1 ? this.#count : 0;
    this.#count = 0;
    this.#second = second;
  }
}

// Deliveries are leased, and wait, this long before the pace of an overloaded receiver allows them.
const paceAheadMs = 1_000;
// What is known of an unhealthy or overloaded receiver is kept for this time without attempts.
const keptMs = 60_000;

/** What a worker knows about a webhook to which it makes attempts, and what follows from that alone. */
export class LimitedWebhook {
  readonly webhookId: string;
  readonly accountId: string;
  /** How many permits the webhook may have. */
  limit: number;
  health: ReceiverHealth = 'healthy';
  /** Whether an attempt has ended with a healthy receiver since this object was created. */
  hasHadHealthyAttempt = false;
  /** When a permit was last released, else when this object was created. */
  lastReleasedAtMonotonicMs: number;
  /** The granted permits: of attempts that are prepared, in flight, or being recorded. */
  readonly permits = new Set<Permit>();
  /** The attempts in flight, the oldest first, each with the time at which its request started. */
  readonly inFlight = new Map<Permit, number>();
  /** Deliveries that wait for a permit, the oldest first. */
  readonly waiting: WaitingDelivery[] = [];
  /** Null until the receiver is overloaded for the first time. */
  pace: Pace | null = null;
  readonly #taken = new TakenCount();

  constructor(webhookId: string, accountId: string, { concurrency, nowMs }: { concurrency: number; nowMs: number }) {
    this.webhookId = webhookId;
    this.accountId = accountId;
    this.limit = initialLimit(concurrency);
    this.lastReleasedAtMonotonicMs = nowMs;
  }

  get isIdle(): boolean {
    return this.permits.size + this.waiting.length === 0;
  }

  /** What was allowed in an earlier epoch of the pace must not start any more. */
  get epoch(): number {
    return this.pace?.epoch ?? 0;
  }

  /** The pace, which allows everything until the receiver refuses a request. */
  startPace(nowMs: number): Pace {
    return (this.pace ??= new Pace(nowMs));
  }

  /** Whether the pace lets a request start now. */
  mayStart(nowMs: number): boolean {
    return this.pace === null || this.pace.mayStart(nowMs);
  }

  /** How many more deliveries may be leased for what the pace allows soon; Infinity without a pace. */
  countLeasable(nowMs: number): number {
    if (this.pace === null || this.pace.isOpen) return Infinity;
    // The next ones are leased together, when none waits any more.
    return this.waiting.length > 0 ? 0 : this.pace.countWithin(nowMs, paceAheadMs);
  }

  /** How long until more may be leased, if none may be now. Infinity: once the last one that waits has started. */
  msUntilLeasable(nowMs: number): number {
    if (this.waiting.length > 0) return Infinity;
    return this.pace ? Math.max(0, this.pace.msUntilNext(nowMs) - paceAheadMs) : 0;
  }

  /** Whether one more delivery may wait here for a permit, rather than in the database. */
  hasRoomToWait(nowMs: number): boolean {
    if (this.pace && this.waiting.length >= this.pace.countWithin(nowMs, paceAheadMs)) return false;
    return this.health === 'healthy' && this.waiting.length < 2 * this.limit;
  }

  /** Whether the oldest attempt in flight has taken so long that the receiver is unresponsive. */
  hasOverdueAttempt(nowMs: number): boolean {
    const [oldest] = this.inFlight.values();
    return oldest !== undefined && isOverdue(this.health, nowMs - oldest);
  }

  /** Adapts the limit to the health of the receiver after an attempt that has ended. */
  adaptLimit(health: ReceiverHealth, concurrency: number): void {
    this.hasHadHealthyAttempt ||= health === 'healthy';
    this.limit = nextLimit(this.limit, { health, wasAtLimit: this.permits.size >= this.limit, concurrency });
  }

  /**
   * Adapts the pace to an attempt that was allowed in this epoch and has ended. Returns the pause in ms that begins
   * with it, or null.
   */
  adaptPace({ hasResponse, overload }: AttemptEnd, epoch: number, nowMs: number): number | null {
    if (overload) {
      const takenPerSecond = this.#taken.perSecond(nowMs);
      return this.startPace(nowMs).refuse(nowMs, { epoch, requestedMs: overload.requestedMs, takenPerSecond });
    }
    if (!hasResponse) this.pace?.fail(nowMs, epoch);
    else {
      this.#taken.add(nowMs);
      this.pace?.answer(nowMs, epoch);
    }
    return null;
  }

  /** Whether what is known of an unhealthy or overloaded receiver is old enough to be forgotten. */
  isOutdated(nowMs: number): boolean {
    return nowMs - this.lastReleasedAtMonotonicMs >= keptMs && !(this.pace && this.pace.msUntilNext(nowMs) > 0);
  }
}
