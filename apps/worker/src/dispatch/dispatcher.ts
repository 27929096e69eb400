import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '@ringback/rules';
import {
  claimDue,
  type Database,
  type DeliveryTask,
  listenForWakeUps,
  type Waker,
  type WebhookChannel,
} from '@ringback/ledger';
import { errorFields, groupBy, type Logger } from '@ringback/process';
import { createFullLister } from './full-lister.js';
import { createDueScanner, type DueScanner } from './due-scanner.js';
import { createLeaseRescuer } from './lease-rescuer.js';
import type { LeasedDeliveries } from './leased-deliveries.js';
import { startPollLoop } from './poll-loop.js';
import type { RetryThrottle } from './retry-throttle.js';
import type { ConcurrencyLimiter } from '../limiter/concurrency-limiter.js';
import { type ClaimedFromWebhook, createWebhookRotation, type WebhookRotation } from './webhook-rotation.js';

export type DispatcherDeps = {
  db: Database;
  log: Logger;
  /** Wakes other workers for deliveries that this worker releases while it stops. */
  waker: Waker;
  limiter: ConcurrencyLimiter;
  throttle: RetryThrottle;
  /** The channels whose deliveries this worker claims. */
  channels: Channel[];
  leasedDeliveries: LeasedDeliveries;
};

export type Dispatcher = {
  /** Stops claiming. Resolves when the current round has ended. */
  stop(): Promise<void>;
};

// The next claim follows a throttled one after this time.
const throttledWaitMs = 20;
// After a round with a failed step, the next round starts no earlier than this.
const failedWaitMs = 500;

/**
 * Claims due deliveries, at most as many for each webhook as the limiter has permits, and starts their attempts. It
 * finds webhooks with due deliveries in three ways: by wake-ups, by scanning for deliveries that became due, and by
 * listing all such webhooks every 30 s. It also adds the webhooks of deliveries whose expired leases it rescues, and of
 * deliveries that this worker releases.
 */
export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const { db, waker, channels, leasedDeliveries } = deps;
  const rotation = createWebhookRotation({ channels });
  const scanner = createDueScanner(db);
  let isStopped = false;

  const loop = startPollLoop(createRoundRunner(deps, { rotation, scanner }));
  const stopListening = listenForWakeUps(db, {
    onDue(due) {
      rotation.add(due, { announced: true });
      loop.wake();
    },
    // Wake-ups may have been missed.
    onMissed() {
      scanner.scheduleScan(0);
      loop.wake();
    },
  });
  leasedDeliveries.setLeaseEndListener(({ webhookId, channel, accountId }, result) => {
    const due = [{ webhookId, channel, accountId }];
    if (result.type === 'dueIn') scanner.scheduleScan(result.waitMs);
    if (result.type === 'dueNow') {
      if (isStopped) waker.wake(due);
      else rotation.add(due, { announced: false });
    }
    if (result.type === 'dueIn' || rotation.size() > 0) loop.wake();
  });
  return {
    async stop() {
      isStopped = true;
      await Promise.all([loop.stop(), stopListening()]);
    },
  };
}

type DueWork = { rotation: WebhookRotation; scanner: DueScanner };

/**
 * Creates the function that runs a round: rescues expired leases, finds webhooks with due deliveries, and claims. It
 * resolves with the time in ms until the next round.
 */
function createRoundRunner(deps: DispatcherDeps, { rotation, scanner }: DueWork): () => Promise<number> {
  const { db, log } = deps;
  const rescuer = createLeaseRescuer(db, log);
  // Each resolves with [] until its next statement is due.
  const finders: (() => Promise<WebhookChannel[]>)[] = [rescuer.rescue, createFullLister(db), scanner.scan];
  return async () => {
    let hasFailed = false;
    /** Runs a step of the round. If the step fails, it is logged, rescues are postponed, and the next steps follow. */
    const runStep = <T>(step: () => Promise<T>): Promise<T | undefined> =>
      step().catch((error: unknown) => {
        hasFailed = true;
        rescuer.postponeAfterFailure();
        log.error('dispatch.failed', errorFields(error));
        return undefined;
      });
    for (const find of finders) rotation.add((await runStep(find)) ?? [], { announced: false });
    const claimInMs = (await runStep(() => claimDeliveries(deps, rotation))) ?? Infinity;
    if (hasFailed) await sleep(failedWaitMs);
    return Math.min(claimInMs, scanner.msUntilNextScan(), rotation.msUntilRateLimitWaitEnds());
  };
}

/**
 * Claims deliveries of the webhooks in the rotation, and starts their attempts. Resolves with the time in ms until the
 * next claim; Infinity if no further claim is needed until the rotation changes.
 */
async function claimDeliveries(
  { db, leasedDeliveries, throttle, limiter }: DispatcherDeps,
  rotation: WebhookRotation,
): Promise<number> {
  const { requests, isThrottled } = rotation.planClaim({
    availableLeases: leasedDeliveries.availableLeases('claim'),
    availableRetries: throttle.available(),
    budget: limiter.createClaimBudget(),
  });
  const nextInMs = isThrottled ? throttledWaitMs : Infinity;
  if (requests.length === 0) return nextInMs;
  const startedAtMonotonicMs = performance.now();
  const { tasks, idsWithRateLimit } = await claimDue(db, requests, { leaseMs: leasedDeliveries.leaseMs });
  leasedDeliveries.start(tasks, startedAtMonotonicMs, 'claim');
  throttle.spend(tasks.filter((task) => !isFirstAttempt(task)).length);
  const announcedDelaysMs = rotation.reportClaim(requests, summarizeByWebhook(tasks), {
    startedAtMonotonicMs,
    idsWithRateLimit,
  });
  announcedDelaysMs.forEach((ms) => throttle.reportDelay(ms));
  // The end of an attempt wakes the loop. Without an attempt, the next claim has to follow at once.
  return tasks.length === 0 && rotation.size() > 0 ? 0 : nextInMs;
}

const isFirstAttempt = ({ attemptCount, isResend }: DeliveryTask) => attemptCount === 0 && !isResend;

function summarizeByWebhook(tasks: DeliveryTask[]): Map<string, ClaimedFromWebhook> {
  const groups = groupBy(tasks, ({ webhookId }) => webhookId);
  return new Map(
    [...groups].map(
      ([id, group]) => [id, { count: group.length, areFirstAttempts: group.every(isFirstAttempt) }] as const,
    ),
  );
}
