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
  /** Told of what is released once this worker stops. */
  waker: Waker;
  limiter: WebhookLimiter;
  throttle: RetryThrottle;
  /** Those whose deliveries this worker makes. */
  channels: Channel[];
  leased: LeasedDeliveries;
};

export type Dispatcher = {
  /** Says that this worker is done with a delivery. */
  noteEnd(task: DeliveryTask, result: AttemptResult): void;
  /** Stops claiming. */
  close(): Promise<void>;
};

// Rounds follow each other no faster, so that each claims several deliveries under load.
const minRoundMs = 2;
// What a lost wake-up leaves behind is found within this time.
const maxIdleMs = 1_000;
const rescueEveryMs = 1_000;
const listEveryMs = 30_000;
const listPageEveryMs = 100;
const maxListed = 500;
// The throttle has capacity for more retries after this time.
const refillMs = 20;
// After PostgreSQL was away, workers that made calls meanwhile have this long to record them before leases count as
// expired: longer than any wait of `retryWhileUnavailable`.
const graceMs = 6_000;

/**
 * Claims what is due, of each webhook as much as the limiter has permits for, and starts the attempts. It hears of due
 * deliveries by wake-ups, by a scan of what becomes due, and now and then by a walk over all webhooks with due deliveries.
 */
export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { db, log, waker, channels, leased } = deps;
  const webhooks = createDueWebhooks({ channels });
  const scanner = createDueScanner(db);
  let closed = false;
  let woken = false;
  let ring = () => {};
  let failedAt = -Infinity;
  let [rescuedAt, listedAt, refillAt] = [-Infinity, -Infinity, Infinity];
  let listFrom: WebhookChannel | null = null;
  const wake = () => {
    woken = true;
    ring();
  };

  let rescuedTo: string[] = [];
  const rescue = async () => {
    const now = performance.now();
    if (now - rescuedAt < rescueEveryMs || now - failedAt < graceMs) return;
    rescuedAt = now;
    // Not what has expired since the call before last: while PostgreSQL stood still, its worker could record nothing.
    const { rescued, now: serverTime } = await rescueExpiredLeases(db, rescuedTo[0] ?? '-infinity');
    rescuedTo = [...rescuedTo, serverTime].slice(-2);
    if (rescued.length === 0) return;
    log.warn('lease.expired', { count: rescued.reduce((sum, { count }) => sum + count, 0) });
    webhooks.note(rescued, { fresh: false });
  };
  const list = async () => {
    if (performance.now() - listedAt < (listFrom === null ? listEveryMs : listPageEveryMs)) return;
    listedAt = performance.now();
    const { due, next } = await listDueWebhooks(db, { limit: maxListed, after: listFrom });
    webhooks.note(due, { fresh: false });
    listFrom = next;
  };
  const scan = async () => webhooks.note(await scanner.scan(), { fresh: false });
  const claim = async () => {
    const { chosen, retryCount, heldBack } = webhooks.choose({
      capacity: leased.room('claimed'),
      retryCapacity: deps.throttle.available(),
      allot: deps.limiter.plan(),
    });
    if (heldBack) refillAt = performance.now() + refillMs;
    if (chosen.length === 0) return;
    const askedAt = performance.now();
    const { tasks, limited } = await claimDue(db, chosen, { leaseMs: leased.leaseMs });
    leased.start(tasks, askedAt, 'claimed');
    deps.throttle.spend(Math.min(retryCount, tasks.length));
    const delays = webhooks.settle(chosen, countByWebhook(tasks), { askedAt, limited });
    delays.forEach((ms) => deps.throttle.observe(ms));
  };
  /** A step that fails keeps the others from nothing. */
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
            webhooks.note(due, { fresh: true });
            wake();
          },
          onGap() {
            scanner.hurry(0);
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
      const rung = new Promise<void>((resolve) => (ring = resolve));
      if (!woken && idleMs > 0) await Promise.race([sleep(idleMs, undefined, abort).catch(() => undefined), rung]);
      abort.abort();
    }
  })();

  return {
    noteEnd({ webhookId, channel, accountId }, { retryInMs, released }) {
      if (released && closed) waker.wake([{ webhookId, channel, accountId }]);
      else if (released) webhooks.note([{ webhookId, channel, accountId }], { fresh: false });
      if (retryInMs !== null) scanner.hurry(retryInMs);
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
