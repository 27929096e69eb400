import { setImmediate } from 'node:timers/promises';
import type { DeliveryTask, LeaseResult } from '@ringback/ledger';
import type { Logger } from '@ringback/process';
import type { Attempter, LeaseTimes } from './attempt.js';
import type { Recorder } from './recorder.js';

export type CrashSuspectsDeps = {
  log: Pick<Logger, 'error'>;
  attempter: Pick<Attempter, 'attempt'>;
  recorder: Pick<Recorder, 'release' | 'end'>;
};

// `expiredLeaseCount` counts a delivery's leases that expired since its last attempt: each time, its worker died or was
// cut off from PostgreSQL.
const suspectFromExpiredLeases = 2;
// With this many, a delivery fails.
const maxExpiredLeases = 4;
// Postponed suspects become due this far apart.
const postponedIntervalMs = 50;

export const isCrashSuspect = ({ expiredLeaseCount }: DeliveryTask): boolean =>
  expiredLeaseCount >= suspectFromExpiredLeases;

/**
 * Deliveries whose leases keep expiring, as they do when an attempt crashes its worker. A worker attempts only one of
 * them at once, and releases the others, so that a further crash does not count as theirs. In the end they fail.
 */
export class CrashSuspects {
  readonly #deps: CrashSuspectsDeps;
  #isAttempting = false;
  #nextDueAtMonotonicMs = 0;
  #postponing: Promise<unknown> = Promise.resolve();

  constructor(deps: CrashSuspectsDeps) {
    this.#deps = deps;
  }

  /** Attempts a suspect, postpones it, or fails it. */
  async attempt(task: DeliveryTask, times: LeaseTimes): Promise<LeaseResult> {
    if (task.expiredLeaseCount >= maxExpiredLeases) return this.#fail(task);
    if (this.#isAttempting) return this.#postpone(task);
    this.#isAttempting = true;
    try {
      // The others of the same claim are released first, because this attempt may crash the worker at once.
      await setImmediate();
      await this.#postponing;
      return await this.#deps.attempter.attempt(task, times);
    } finally {
      this.#isAttempting = false;
    }
  }

  async #fail({ id, leasedAt, expiredLeaseCount }: DeliveryTask): Promise<LeaseResult> {
    const reason = `its lease expired ${expiredLeaseCount} times: workers crashed or were cut off from PostgreSQL`;
    this.#deps.log.error('delivery.failed_after_crashes', { delivery_id: id, reason });
    await this.#deps.recorder.end({ id, leasedAt, state: 'failed', reason });
    return { type: 'done' };
  }

  async #postpone(task: DeliveryTask): Promise<LeaseResult> {
    const now = performance.now();
    this.#nextDueAtMonotonicMs = Math.max(this.#nextDueAtMonotonicMs, now) + postponedIntervalMs;
    const waitMs = this.#nextDueAtMonotonicMs - now;
    const released = this.#deps.recorder.release(task, waitMs);
    this.#postponing = Promise.allSettled([this.#postponing, released]);
    await released;
    return { type: 'dueIn', waitMs };
  }
}
