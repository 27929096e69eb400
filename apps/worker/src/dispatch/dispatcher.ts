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
import { createDueWebhooks } from './due-webhooks.js';
import type { LeasedDeliveries } from './leased-deliveries.js';
import type { RetryThrottle } from './retry-throttle.js';
import type { WebhookLimiter } from './webhook-limiter.js';

export type DispatcherDeps = {
  db: Database;
  log: Logger;
  /** Wakes other workers for deliveries that are released while this worker stops. */
  waker: Waker;
  limiter: WebhookLimiter;
  throttle: RetryThrottle;
  /** The channels whose deliveries this worker claims. */
  channels: Channel[];
  leased: LeasedDeliveries;
};

export type Dispatcher = {
  /** Reports that an attempt ended or the lease was released. */
  handleEnd(task: DeliveryTask, result: AttemptResult): void;
  /** Stops claiming; resolves when the current round has ended. */
  close(): Promise<void>;
};

// Rounds are at least this long, so that each claims several deliveries under load.
const minRoundMs = 2;
// A round starts at least this often, which bounds the delay of a lost wake-up.
const maxIdleMs = 1_000;
const rescueEveryMs = 1_000;
const listEveryMs = 30_000;
const listPageEveryMs = 100;
const maxListed = 500;
// The throttle has new tokens after this time.
const refillMs = 20;
// After PostgreSQL was unavailable, workers get this long to record their calls before leases count as expired: longer than
// any wait of `retryWhileUnavailable`.
const graceMs = 6_000;

/**
 * Claims due deliveries, of each webhook as many as the limiter has permits for, and starts their attempts. It learns of due
 * deliveries by wake-ups, by a scan of those that become due, and every 30 s by a walk over all webhooks with due deliveries.
 * It also rescues deliveries whose leases expired.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { db, log, waker, channels, leased } = deps;
  const webhooks = createDueWebhooks({ channels });
  const scanner = createDueScanner(db);
  let closed = false;
  let woken = false;
  let endIdle = () => {};
  let failedAt = -Infinity;
  let [rescuedAt, listedAt, refillAt] = [-Infinity, -Infinity, Infinity];
  let listFrom: WebhookChannel | null = null;
  const wake = () => {
    woken = true;
    endIdle();
  };

  let rescuedTo: string[] = [];
  const rescue = async () => {
    const now = performance.now();
    if (now - rescuedAt < rescueEveryMs || now - failedAt < graceMs) return;
    rescuedAt = now;
    // Only leases that had expired two rescues ago: while PostgreSQL stands still, workers cannot record their calls.
    const { rescued, now: serverTime } = await rescueExpiredLeases(db, rescuedTo[0] ?? '-infinity');
    rescuedTo = [...rescuedTo, serverTime].slice(-2);
    if (rescued.length === 0) return;
    log.warn('lease.expired', { count: rescued.reduce((sum, { count }) => sum + count, 0) });
    webhooks.add(rescued, { fresh: false });
  };
  const list = async () => {
    if (performance.now() - listedAt < (listFrom === null ? listEveryMs : listPageEveryMs)) return;
    listedAt = performance.now();
    const { due, next } = await listDueWebhooks(db, { limit: maxListed, after: listFrom });
    webhooks.add(due, { fresh: false });
    listFrom = next;
  };
  const scan = async () => webhooks.add(await scanner.scan(), { fresh: false });
  const claim = async () => {
    const { selected, retryCount, isThrottled } = webhooks.selectForClaim({
      capacity: leased.capacity('claimed'),
      retryCapacity: deps.throttle.available(),
      allot: deps.limiter.plan(),
    });
    if (isThrottled) refillAt = performance.now() + refillMs;
    if (selected.length === 0) return;
    const askedAt = performance.now();
    const { tasks, limited } = await claimDue(db, selected, { leaseMs: leased.leaseMs });
    leased.start(tasks, askedAt, 'claimed');
    deps.throttle.spend(Math.min(retryCount, tasks.length));
    const delays = webhooks.handleClaim(selected, countByWebhook(tasks), { askedAt, limited });
    delays.forEach((ms) => deps.throttle.observe(ms));
  };
  /** A step that fails is logged and does not stop the others. */
  const step = (act: () => Promise<void>) =>
    act().catch((error: unknown) => {
      failedAt = performance.now();
      log.error('dispatch.failed', errorFields(error));
    });
  const round = async () => {
    const startedAt = performance.now();
    await step(rescue);
    await step(list);
    if (scanner.isDue()) await step(scan);
    await step(claim);
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
          onGap() {
            scanner.scanWithin(0);
            wake();
          },
        });
  const loop = (async () => {
    while (!closed && channels.length > 0) {
      woken = false;
      const startedAt = performance.now();
      await round();
      await sleep(Math.max(0, minRoundMs - (performance.now() - startedAt)));
      const refillInMs = refillAt - performance.now();
      const idleMs = Math.min(maxIdleMs, scanner.nextInMs(), webhooks.nextInMs(), refillInMs);
      refillAt = Infinity;
      const abort = new AbortController();
      const awoken = new Promise<void>((resolve) => (endIdle = resolve));
      if (!woken && idleMs > 0) await Promise.race([sleep(idleMs, undefined, abort).catch(() => undefined), awoken]);
      abort.abort();
    }
  })();

  return {
    handleEnd({ webhookId, channel, accountId }, { retryInMs, released }) {
      if (released && closed) waker.wake([{ webhookId, channel, accountId }]);
      else if (released) webhooks.add([{ webhookId, channel, accountId }], { fresh: false });
      if (retryInMs !== null) scanner.scanWithin(retryInMs);
      if (retryInMs !== null || webhooks.size() > 0) wake();
    },
    async close() {
      closed = true;
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
