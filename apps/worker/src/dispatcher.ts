import { setTimeout as sleep } from 'node:timers/promises';
import {
  claimDue,
  type ClaimResult,
  type Database,
  type DeliveryEnd,
  endDeliveries,
  type Lease,
  leaseDue,
} from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';
import type { DueFinder } from './due-finder.js';
import type { LeaseHolder } from './leases.js';
import type { ConcurrencyLimiter } from './limits/limiter.js';
import type { PlannedLeases, PlannedSearch, WebhookRotation } from './webhook-rotation.js';

export type DispatcherDeps = {
  db: Database;
  log: Logger;
  limiter: ConcurrencyLimiter;
  rotation: WebhookRotation;
  finder: Pick<DueFinder, 'postponeRescue'>;
  leases: LeaseHolder;
};

// A round takes at least this long, so that each claims several deliveries under load.
const minRoundMs = 2;
// The longest idle time between two rounds.
const maxIdleMs = 1_000;
// After a round with a failed claim, the next round starts no earlier than this.
const failedWaitMs = 500;

const asOrphanEnd = (lease: Lease): DeliveryEnd => ({ ...lease, state: 'failed', reason: 'its event was deleted' });

/**
 * Claims due deliveries, at most as many for each webhook as the limiter has permits, and starts their attempts. It
 * works in rounds. Each leases the deliveries that the rotation knows, and searches for the others.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #loop: Promise<void>;
  readonly #change = () => this.#deps.rotation.change();
  #isStopped = false;

  /** Starts the first round. */
  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#loop = this.#run();
  }

  /** Stops claiming. Resolves when the current round has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#deps.rotation.change();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { finder, log, rotation } = this.#deps;
    while (!this.#isStopped) {
      const startedAtMonotonicMs = performance.now();
      let waitMs = maxIdleMs;
      try {
        waitMs = await this.#claim();
      } catch (error) {
        finder.postponeRescue();
        log.error('dispatch.failed', errorFields(error));
        await sleep(failedWaitMs);
      }
      await sleep(Math.max(0, minRoundMs - (performance.now() - startedAtMonotonicMs)));
      await rotation.waitForChange(waitMs);
    }
  }

  /** Claims deliveries and starts their attempts. Resolves with how long the next claim may wait without a change. */
  async #claim(): Promise<number> {
    const { db, leases, limiter, rotation } = this.#deps;
    const { leaseMs } = leases;
    const budget = limiter.createClaimBudget();
    const planned = rotation.planClaim({
      availableLeases: leases.available('claim'),
      availableRetries: leases.availableRetries(),
      budget,
    });
    this.#wakeAtLeaseEnd();
    const known = planned.leases.flatMap(({ webhookId, known }) => known.map(({ id }) => ({ id, webhookId })));
    const counts = await Promise.all([
      this.#start(planned.leases, () => leaseDue(db, known, { leaseMs })),
      this.#start(planned.searches, () => claimDue(db, planned.searches, { leaseMs })),
    ]);
    const hasPlanned = planned.leases.length + planned.searches.length > 0;
    // The end of an attempt ends the wait. Without an attempt, the next claim has to follow at once.
    if (hasPlanned && Math.max(...counts) === 0 && rotation.size > 0) return 0;
    return Math.min(budget.waitMs(), maxIdleMs);
  }

  /** While webhooks are left in the rotation, the end of a lease ends the wait, because more may then be claimed. */
  #wakeAtLeaseEnd(): void {
    const { leases, rotation } = this.#deps;
    if (rotation.size > 0) leases.onNextEnd(this.#change);
  }

  /** Claims what was planned, and starts the attempts. Resolves with their number. */
  async #start(planned: PlannedLeases[] | PlannedSearch[], claim: () => Promise<ClaimResult>): Promise<number> {
    const { db, leases, rotation } = this.#deps;
    if (planned.length === 0) return 0;
    const startedAtMonotonicMs = performance.now();
    let result: ClaimResult;
    try {
      result = await claim();
    } catch (error) {
      rotation.giveBack(planned);
      this.#wakeAtLeaseEnd();
      throw error;
    }
    leases.start(result.tasks, startedAtMonotonicMs, 'claim');
    rotation.report(planned, result);
    this.#wakeAtLeaseEnd();
    if (result.orphans.length > 0) await endDeliveries(db, result.orphans.map(asOrphanEnd));
    return result.tasks.length;
  }
}
