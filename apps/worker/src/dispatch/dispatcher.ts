import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel } from '@ringback/callbacks';
import {
  claimDue,
  type Database,
  type DeliveryTask,
  listDueWebhooks,
  listenForWakeUps,
  rescueExpiredLeases,
  type Waker,
  type WebhookChannel,
} from '@ringback/database';
import { errorFields, type Logger } from '@ringback/runtime';
import type { AttemptResult } from '../attempt/attempt.js';
import { createDueScanner } from './due-scanner.js';
import type { LeasedDeliveries } from './leased-deliveries.js';
import type { RetryThrottle } from './retry-throttle.js';
import type { WebhookLimiter } from './webhook-limiter.js';
import { createWebhookRotation } from './webhook-rotation.js';

export type DispatcherDeps = {
  db: Database;
  log: Logger;
  /** Wakes other workers for deliveries that this worker releases while it stops. */
  waker: Waker;
  limiter: WebhookLimiter;
  throttle: RetryThrottle;
  /** The channels whose deliveries this worker claims. */
  channels: Channel[];
  leased: LeasedDeliveries;
};

export type Dispatcher = {
  /** Reports that the lease of a delivery ended, with or without an attempt. */
  handleLeaseEnd(task: DeliveryTask, result: AttemptResult): void;
  /** Stops claiming. Resolves when the current round has ended. */
  close(): Promise<void>;
};

// A round takes at least this long, so that each claims several deliveries under load.
const minRoundMs = 2;
// A round starts at least this often, which bounds the delay after a lost wake-up.
const maxIdleMs = 1_000;
const rescueEveryMs = 1_000;
const listEveryMs = 30_000;
const listPageEveryMs = 100;
const listPageSize = 500;
// A throttled claim is repeated after this time.
const refillMs = 20;
// After an outage of PostgreSQL, workers get this long to record their attempts before leases count as expired. It is longer
// than any wait of `retryWhileUnavailable`.
const graceMs = 6_000;

/**
 * Claims due deliveries, at most as many for each webhook as the limiter has permits, and starts their attempts. It
 * finds webhooks with due deliveries in three ways: by wake-ups, by scanning for deliveries that became due, and by
 * listing all such webhooks every 30 s. It also rescues deliveries whose leases expired.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { db, log, waker, channels, leased } = deps;
  const webhooks = createWebhookRotation({ channels });
  const scanner = createDueScanner(db);
  let isClosed = false;
  let isWoken = false;
  let endIdle = () => {};
  let failedAt = -Infinity;
  let [rescuedAt, listedAt, refillAt] = [-Infinity, -Infinity, Infinity];
  let listFrom: WebhookChannel | null = null;
  const wake = () => {
    isWoken = true;
    endIdle();
  };

  // The database's times at the last two rescues.
  let rescueTimes: string[] = [];
  const rescueLeases = async () => {
    const now = performance.now();
    if (now - rescuedAt < rescueEveryMs || now - failedAt < graceMs) return;
    rescuedAt = now;
    // A lease must have expired before the second-last rescue, because after a stall live workers can still record.
    const { rescued, now: serverTime } = await rescueExpiredLeases(db, rescueTimes[0] ?? '-infinity');
    rescueTimes = [...rescueTimes, serverTime].slice(-2);
    if (rescued.length === 0) return;
    log.warn('lease.expired', { count: rescued.reduce((sum, { count }) => sum + count, 0) });
    webhooks.add(rescued, { fresh: false });
  };
  const listWebhooks = async () => {
    if (performance.now() - listedAt < (listFrom === null ? listEveryMs : listPageEveryMs)) return;
    listedAt = performance.now();
    const { due, next } = await listDueWebhooks(db, { limit: listPageSize, after: listFrom });
    webhooks.add(due, { fresh: false });
    listFrom = next;
  };
  const scanDueWebhooks = async () => webhooks.add(await scanner.scan(), { fresh: false });
  const claimDeliveries = async () => {
    const { fresh, notFresh, isThrottled } = webhooks.selectForClaim({
      capacity: leased.capacity('claimed'),
      notFreshCapacity: deps.throttle.available(),
      planPermits: deps.limiter.planClaim(),
    });
    if (isThrottled) refillAt = performance.now() + refillMs;
    const selected = [...fresh, ...notFresh];
    if (selected.length === 0) return;
    const startedAt = performance.now();
    const { tasks, limited } = await claimDue(db, selected, { leaseMs: leased.leaseMs });
    leased.start(tasks, startedAt, 'claimed');
    const counts = countByWebhook(tasks);
    deps.throttle.spend(notFresh.reduce((sum, { webhookId }) => sum + (counts.get(webhookId) ?? 0), 0));
    const delays = webhooks.handleClaim(selected, counts, { startedAt, limited });
    delays.forEach((ms) => deps.throttle.observeDelay(ms));
    // Nothing was claimed, so no ending attempt will wake the loop. Wake it here.
    if (tasks.length === 0 && webhooks.size() > 0) wake();
  };
  /** Runs a step of a round. If it fails, the error is logged and the next steps run all the same. */
  const runStep = (step: () => Promise<void>) =>
    step().catch((error: unknown) => {
      failedAt = performance.now();
      log.error('dispatch.failed', errorFields(error));
    });
  const runRound = async () => {
    const startedAt = performance.now();
    await runStep(rescueLeases);
    await runStep(listWebhooks);
    if (scanner.isDue()) await runStep(scanDueWebhooks);
    await runStep(claimDeliveries);
    if (failedAt > startedAt) await sleep(maxIdleMs / 2);
  };

  const stopListening =
    channels.length === 0
      ? () => Promise.resolve()
      : listenForWakeUps(db, {
          onDue(due) {
            webhooks.add(due, { fresh: true });
            wake();
          },
          // Wake-ups may have been missed.
          onGap() {
            scanner.scanWithin(0);
            wake();
          },
        });
  const loop = (async () => {
    while (!isClosed && channels.length > 0) {
      isWoken = false;
      const startedAt = performance.now();
      await runRound();
      await sleep(Math.max(0, minRoundMs - (performance.now() - startedAt)));
      const refillInMs = refillAt - performance.now();
      const idleMs = Math.min(maxIdleMs, scanner.nextInMs(), webhooks.nextInMs(), refillInMs);
      refillAt = Infinity;
      const abort = new AbortController();
      const awoken = new Promise<void>((resolve) => (endIdle = resolve));
      if (!isWoken && idleMs > 0) await Promise.race([sleep(idleMs, undefined, abort).catch(() => undefined), awoken]);
      abort.abort();
    }
  })();

  return {
    handleLeaseEnd({ webhookId, channel, accountId }, result) {
      if (result.type === 'dueNow' && isClosed) waker.wake([{ webhookId, channel, accountId }]);
      else if (result.type === 'dueNow') webhooks.add([{ webhookId, channel, accountId }], { fresh: false });
      if (result.type === 'dueIn') scanner.scanWithin(result.waitMs);
      if (result.type === 'dueIn' || webhooks.size() > 0) wake();
    },
    async close() {
      isClosed = true;
      wake();
      await Promise.all([loop, stopListening()]);
    },
  };
}

function countByWebhook(tasks: DeliveryTask[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { webhookId } of tasks) counts.set(webhookId, (counts.get(webhookId) ?? 0) + 1);
  return counts;
}
