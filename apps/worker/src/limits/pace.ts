/** A request that the receiver refused as too fast. `requestedMs`: by its `Retry-After`; null without one. */
export type Refusal = { epoch: number; requestedMs: number | null; takenPerSecond: number };

/** What a worker tells others of a pace. `pauseMs`: until the next request; 0 without a pause. `rate`: a second. */
export type PaceState = { pauseMs: number; rate: number };

// Without a `Retry-After`, the pause doubles, until the receiver has answered a few requests.
const pauses = { minMs: 100, maxMs: 30_000 };
const minAnswered = 3;
// After a refusal, the rate starts at 9/10 of what the receiver took in the second before, but at no less than 9/10 of
// half the rate that was refused, because a second says little about a low rate.
const startShare = 0.9;
const maxCut = 0.5;
const minTakenAtFirst = 1;
const minRate = 1 / 30;
// The rate starts to grow by a tenth of itself a second, and grows the faster the further it is from its start: within
// 10 s it would exceed every bound. A refusal below twice the start confirms the start, and each one doubles the 10 s,
// but only for the way to 1.3 times the start: if that is answered too, the receiver takes more than it did.
const growth = { minMs: 10_000, maxMs: 60_000, confirmedBelow: 2, slowBelow: 1.3 };
// At ten times its start, and at least this rate, the receiver is no longer overloaded.
const recovered = { growth: 10, rate: 1_000 };
// A timer may be this late without loss: the next requests come sooner.
const lateMs = 20;
// Another worker takes over when it has heard nothing for this time.
const takeOverMs = 3_000;

/**
 * When the next requests to an overloaded receiver may start (docs/reference/callbacks.md#overload). It reads no clock:
 * `nowMs` is a monotonic time.
 *
 * - `paused`: nothing starts until `#nextAtMs`, and then one request, the probe
 * - `probing`: nothing starts until the probe has ended
 * - `growing`: requests start evenly at `#rate`, which grows with each answer
 *
 * Each pause begins an epoch. What was allowed in an earlier one must not start any more, and its answers say nothing
 * about the new rate.
 */
export class Pace {
  #phase: 'paused' | 'probing' | 'growing' = 'growing';
  #nextAtMs: number;
  // The last wait, and the last pause without a `Retry-After`.
  #waitMs = 0;
  #pauseMs = 0;
  // Requests a second. Infinity: the receiver is not overloaded.
  #rate = Infinity;
  #startRate = Infinity;
  #growthMs = growth.minMs;
  #answeredCount = 0;
  #epoch = 0;
  #isOwn = false;

  /** Allows everything until the first refusal. */
  constructor(nowMs: number) {
    this.#nextAtMs = nowMs;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Whether the receiver is not, or no longer, overloaded. */
  get isOpen(): boolean {
    return this.#phase === 'growing' && this.#rate === Infinity;
  }

  /** Whether this worker sends to the receiver, and others wait. */
  get isOwn(): boolean {
    return this.#isOwn;
  }

  /**
   * The request of an epoch was refused. Returns how long the next one waits, or null if it started before the pause
   * that is under way: then only a longer `Retry-After` counts.
   */
  refuse(nowMs: number, { epoch, requestedMs, takenPerSecond }: Refusal): number | null {
    if (epoch !== this.#epoch) {
      if (this.#phase === 'paused') this.#nextAtMs = Math.max(this.#nextAtMs, nowMs + (requestedMs ?? 0));
      return null;
    }
    if (this.#answeredCount >= minAnswered) this.#pauseMs = 0;
    if (requestedMs === null) this.#pauseMs = Math.min(Math.max(pauses.minMs, 2 * this.#pauseMs), pauses.maxMs);
    if (this.#phase === 'growing') this.#cut(takenPerSecond);
    this.#isOwn = true;
    this.#waitMs = requestedMs ?? this.#pauseMs;
    this.#pauseUntil(nowMs + this.#waitMs);
    return this.#waitMs;
  }

  /** A request of an epoch was answered, with anything but "too fast". */
  answer(nowMs: number, epoch: number): void {
    if (epoch !== this.#epoch || this.isOpen) return;
    this.#answeredCount++;
    if (this.#phase === 'probing') {
      this.#phase = 'growing';
      this.#rate = this.#startRate;
      this.#nextAtMs = nowMs + 1_000 / this.#rate;
    } else if (this.#phase === 'growing') {
      const grown = this.#rate / this.#startRate;
      this.#rate += grown * (1_000 / (grown < growth.slowBelow ? this.#growthMs : growth.minMs));
      if (this.#rate >= Math.max(recovered.rate, recovered.growth * this.#startRate)) this.#rate = Infinity;
    }
  }

  /** A request of an epoch ended without a response. If it was the probe, the wait is repeated. */
  fail(nowMs: number, epoch: number): void {
    if (epoch === this.#epoch && this.#phase === 'probing') this.#pauseUntil(nowMs + this.#waitMs);
  }

  /** A request that was allowed in an epoch was not sent. */
  cancel(nowMs: number, epoch: number): void {
    if (epoch === this.#epoch && this.#phase === 'probing') this.#pauseUntil(nowMs);
  }

  mayStart(nowMs: number): boolean {
    return this.msUntilNext(nowMs) === 0;
  }

  /** Counts a request that is allowed to start. */
  start(nowMs: number): void {
    if (this.isOpen) return;
    this.#isOwn = true;
    if (this.#phase === 'paused') this.#phase = 'probing';
    else this.#nextAtMs = Math.max(this.#nextAtMs, nowMs - lateMs) + 1_000 / this.#rate;
  }

  /** Milliseconds until the next request may start; Infinity while a probe is under way. */
  msUntilNext(nowMs: number): number {
    return this.#phase === 'probing' ? Infinity : Math.max(0, this.#nextAtMs - nowMs);
  }

  /** How many requests may start within `ms`. */
  countWithin(nowMs: number, ms: number): number {
    const leftMs = ms - this.msUntilNext(nowMs);
    if (leftMs < 0) return 0;
    return this.#phase === 'paused' ? 1 : Math.floor((leftMs * this.#rate) / 1_000) + 1;
  }

  /** What another worker needs to go on with this pace. */
  state(nowMs: number): PaceState {
    const pauseMs = this.#phase === 'paused' ? this.msUntilNext(nowMs) : 0;
    return { pauseMs, rate: this.#phase === 'growing' ? this.#rate : this.#startRate };
  }

  /**
   * Another worker sends to the receiver, so this one waits until it has not heard of the other for 3 s. Of two that
   * send, the senior one goes on. When the other doesn't serve all channels of this worker (`sharesPauseOnly`), both
   * send, and only its pauses count.
   */
  hear(
    nowMs: number,
    { pauseMs, rate, isSenior, sharesPauseOnly }: PaceState & { isSenior: boolean; sharesPauseOnly: boolean },
  ): void {
    if (sharesPauseOnly ? pauseMs <= this.msUntilNext(nowMs) : this.#isOwn && !isSenior) return;
    if (this.isOpen || !sharesPauseOnly) this.#startRate = rate;
    if (!sharesPauseOnly) this.#isOwn = false;
    this.#waitMs = pauseMs;
    this.#pauseUntil(nowMs + (sharesPauseOnly ? pauseMs : Math.max(pauseMs, takeOverMs)));
  }

  /** Sets the rate after the next probe, and how fast it then grows. */
  #cut(takenPerSecond: number): void {
    const isConfirmed = this.#rate < growth.confirmedBelow * this.#startRate;
    this.#growthMs = isConfirmed ? Math.min(2 * this.#growthMs, growth.maxMs) : growth.minMs;
    const taken = this.isOpen
      ? Math.max(takenPerSecond, minTakenAtFirst)
      : Math.min(Math.max(takenPerSecond, maxCut * this.#rate), this.#rate);
    this.#startRate = Math.max(startShare * taken, minRate);
  }

  #pauseUntil(atMs: number): void {
    this.#epoch++;
    this.#answeredCount = 0;
    this.#phase = 'paused';
    this.#nextAtMs = atMs;
  }
}
