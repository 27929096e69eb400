import { setTimeout as sleep } from 'node:timers/promises';
import { claimDue, type Database, endDeliveries } from '@ringback/ledger';
import { errorFields, type Logger } from '@ringback/process';
import type { DueWebhooks } from './due-webhooks.js';
import type { LeaseHolder } from './leases.js';
import type { ConcurrencyLimiter } from './limits/limiter.js';

export type DispatcherDeps = {
  db: Database;
  log: Logger;
  limiter: ConcurrencyLimiter;
  due: DueWebhooks;
  leases: LeaseHolder;
};

// A round takes at least this long, so that each claims several deliveries under load.
const minRoundMs = 2;
// The longest idle time between two rounds.
const maxIdleMs = 1_000;
// After a round with a failed step, the next round starts no earlier than this.
const failedWaitMs = 500;

/**
 * Claims due deliveries in rounds and starts their attempts: each round finds webhooks with due deliveries, and claims
 * as many of each as the limiter has permits.
 */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #loop: Promise<void>;
  #isStopped = false;

  /** Listens for wake-ups, and starts the first round. */
  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    deps.due.listen();
    this.#loop = this.#run();
  }

  /** Stops claiming. Resolves when the current round has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([this.#deps.due.close(), this.#loop]);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const startedAtMonotonicMs = performance.now();
      const isClaimDue = await this.#runRound();
      await sleep(Math.max(0, minRoundMs - (performance.now() - startedAtMonotonicMs)));
      await this.#deps.due.waitForChange(isClaimDue ? 0 : maxIdleMs);
    }
  }

  /** Rescues expired leases, finds webhooks with due deliveries, and claims. Resolves with whether to claim again. */
  async #runRound(): Promise<boolean> {
    const { due, log } = this.#deps;
    let isClaimDue = false;
    let hasFailed = false;
    const claim = async () => void (isClaimDue = await this.#claim());
    for (const step of [...due.finders, claim]) {
      await step().catch((error: unknown) => {
        hasFailed = true;
        due.postponeRescue();
        log.error('dispatch.failed', errorFields(error));
      });
    }
    if (hasFailed) await sleep(failedWaitMs);
    return isClaimDue;
  }

  /** Claims deliveries and starts their attempts. Resolves with whether the next claim has to follow at once. */
  async #claim(): Promise<boolean> {
    const { db, due, leases, limiter } = this.#deps;
    const requests = due.rotation.planClaim({
      availableLeases: leases.available('claim'),
      availableRetries: leases.availableRetries(),
      budget: limiter.createClaimBudget(),
    });
    if (requests.length === 0) return false;
    const startedAtMonotonicMs = performance.now();
    const { tasks, orphans, idsWithRateLimit } = await claimDue(db, requests, { leaseMs: leases.leaseMs });
    leases.start(tasks, startedAtMonotonicMs, 'claim');
    due.rotation.reportClaim(requests, tasks, { startedAtMonotonicMs, idsWithRateLimit });
    if (orphans.length > 0) await endDeliveries(db, orphans, 'failed', 'its event was deleted');
    // The end of an attempt ends the wait. Without an attempt, the next claim has to follow at once.
    return tasks.length === 0 && due.rotation.size > 0;
  }
}
