import { createAttemptQuotas } from './attempt-quotas.js';
import { createAdaptiveLimit } from './adaptive-limit.js';
import { createHealthTracker } from './health-tracker.js';
import { createLimitedWebhook, type LimitedWebhook } from './limited-webhook.js';
import { createPermit, type Permit } from './permit.js';
import type { AttemptTiming } from './receiver-health.js';
import { createWaitingWebhooks } from './waiting-webhooks.js';

/**
 * The permits that one claim may count on. They are reserved in the budget only: the attempts still have to acquire
 * them.
 */
export type ClaimBudget = {
  /** Reserves up to `max` permits for a webhook, and returns how many. */
  reserve(webhookId: string, accountId: string, max: number): number;
};

export type ConcurrencyLimiter = {
  /**
   * Resolves with a permit for one attempt. Resolves with null if the limiter is closed, if the delivery may not wait
   * for a permit, or if its wait ends without one.
   */
  acquire(webhookId: string, accountId: string): Promise<Permit | null>;
  /** Grants no more permits, starts no more attempts, and ends all waits. */
  close(): void;
  /** The ids of up to 1,000 webhooks with a slow or unresponsive receiver and no free permit. */
  listBlockedWebhooks(): string[];
  /** Creates the budget of a claim that starts now. */
  createClaimBudget(): ClaimBudget;
};

type LimiterOptions = { concurrency: number; now?: () => number };

const maxBlockedListed = 1_000;
const tickMs = 100;
const dropUnhealthyAfterMs = 60_000;
const maxWaitMs = 2_000;

/**
 * Limits the concurrent attempts for each webhook in this worker, so that a slow or unresponsive receiver does not
 * delay others. Each webhook has a limit of its own (`adaptive-limit.ts`), under shared quotas (`attempt-quotas.ts`).
 * Both depend on the receiver's health (`health-tracker.ts`), which is judged when a permit is requested, when an
 * attempt ends and every 100 ms. The time to prepare and record an attempt does not affect the health.
 *
 * A permit is held until the attempt is recorded, so a crash repeats only attempts that hold permits. These are at most
 * `concurrency` attempts, plus attempts to unresponsive receivers beyond their quota.
 *
 * While the receiver is healthy and not presumed unresponsive, up to twice as many deliveries as the limit may wait for
 * a permit, each up to about 2 s (`health-tracker.ts` says which receivers are presumed unresponsive). They are served
 * round-robin by account and webhook. All other deliveries get no permit and wait in the database, where any worker may
 * claim them. Unresponsive receivers never take more than half of `concurrency`, at least 1, from the others. A healthy
 * webhook that becomes idle is dropped, so it starts with the initial limit again.
 */
export function createConcurrencyLimiter({
  concurrency,
  now = () => performance.now(),
}: LimiterOptions): ConcurrencyLimiter {
  const adaptiveLimit = createAdaptiveLimit(concurrency);
  const quotas = createAttemptQuotas(concurrency);
  const healthTracker = createHealthTracker({ quotas, now, onUnhealthy: (webhook) => endWaitsAfterUnhealthy(webhook) });
  const webhooks = new Map<string, LimitedWebhook>();
  const waitingWebhooks = createWaitingWebhooks(now);
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** The webhook's entry, or a new one. A new one is stored when a permit is granted or a delivery waits for one. */
  const entryOf = (webhookId: string, accountId: string): LimitedWebhook =>
    webhooks.get(webhookId) ??
    createLimitedWebhook({ webhookId, accountId, limit: adaptiveLimit.initial, lastReleasedAtMonotonicMs: now() });

  /** How many permits the webhook's limit and the quotas of its account and its health leave. */
  const countFreePermits = (webhook: LimitedWebhook, availableQuotas = quotas) =>
    Math.min(webhook.limit - webhook.permits.size, availableQuotas.availableToClass(webhook));
  const hasFreePermit = (webhook: LimitedWebhook) => countFreePermits(webhook) > 0 && quotas.available() > 0;
  const mayWait = (webhook: LimitedWebhook) =>
    webhook.health === 'healthy' &&
    webhook.waiting.length < 2 * webhook.limit &&
    !healthTracker.isPresumedUnresponsive(webhook);

  const dropIfHealthyAndIdle = (webhook: LimitedWebhook) => {
    if (webhook.health === 'healthy' && webhook.permits.size + webhook.waiting.length === 0)
      webhooks.delete(webhook.webhookId);
  };
  /** Ends the waits of a webhook that have lasted for `minMs`. */
  const endWaits = (webhook: LimitedWebhook, minMs = 0) => {
    waitingWebhooks.end(webhook, minMs);
    dropIfHealthyAndIdle(webhook);
  };
  /** Ends the waits of an unhealthy webhook, and of its account's webhooks that are now presumed unresponsive. */
  const endWaitsAfterUnhealthy = (unhealthy: LimitedWebhook) => {
    endWaits(unhealthy);
    for (const other of waitingWebhooks.ofAccount(unhealthy.accountId))
      if (healthTracker.isPresumedUnresponsive(other)) endWaits(other);
  };

  const adaptLimit = (webhook: LimitedWebhook, timing: AttemptTiming) => {
    const wasAtLimit = webhook.permits.size >= webhook.limit;
    webhook.limit = adaptiveLimit.next(webhook.limit, { health: healthTracker.observe(webhook, timing), wasAtLimit });
  };
  const takeBackPermit = (webhook: LimitedWebhook) => {
    quotas.add(webhook, -1);
    webhook.lastReleasedAtMonotonicMs = now();
    admitWaiting();
    dropIfHealthyAndIdle(webhook);
  };
  const grantPermit = (webhook: LimitedWebhook): Permit => {
    webhooks.set(webhook.webhookId, webhook);
    quotas.add(webhook, 1);
    timer ??= setInterval(tick, tickMs).unref();
    return createPermit(webhook, {
      now,
      mayStart: () => !isClosed,
      onEnd: (timing) => adaptLimit(webhook, timing),
      onRelease: () => takeBackPermit(webhook),
    });
  };

  /**
   * Grants free permits to waiting deliveries. The account, and its webhook, that were served least recently come
   * first.
   */
  const admitWaiting = () => {
    for (const [accountId, waiting] of waitingWebhooks.byAccount()) {
      if (quotas.available() <= 0) return;
      // The account may have thousands of waiting webhooks, none of which could be served.
      if (quotas.availableToAccount(accountId) <= 0) continue;
      const webhook = firstWhere(waiting, hasFreePermit);
      if (webhook) waitingWebhooks.serve(webhook, grantPermit(webhook));
    }
  };

  const dropIfUnhealthyAndIdle = (webhook: LimitedWebhook) => {
    const { permits, lastReleasedAtMonotonicMs } = webhook;
    if (webhook.health === 'healthy' || permits.size > 0 || now() - lastReleasedAtMonotonicMs < dropUnhealthyAfterMs)
      return;
    healthTracker.forget(webhook);
    webhooks.delete(webhook.webhookId);
  };
  const tick = () => {
    for (const webhook of webhooks.values()) {
      healthTracker.observeInFlight(webhook);
      endWaits(webhook, maxWaitMs);
      dropIfUnhealthyAndIdle(webhook);
    }
    admitWaiting();
    if (webhooks.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    async acquire(webhookId, accountId) {
      if (isClosed) return null;
      const webhook = entryOf(webhookId, accountId);
      healthTracker.observeInFlight(webhook);
      if (webhook.waiting.length === 0 && hasFreePermit(webhook)) return grantPermit(webhook);
      if (!mayWait(webhook)) return null;
      webhooks.set(webhookId, webhook);
      return waitingWebhooks.wait(webhook);
    },
    close() {
      isClosed = true;
      for (const webhook of [...webhooks.values()]) endWaits(webhook);
    },
    listBlockedWebhooks() {
      const ids: string[] = [];
      for (const webhook of healthTracker.unhealthy()) {
        if (ids.length >= maxBlockedListed) break;
        if (!hasFreePermit(webhook)) ids.push(webhook.webhookId);
      }
      return ids;
    },
    createClaimBudget() {
      const trial = quotas.fork();
      return {
        reserve(webhookId, accountId, max) {
          const webhook = entryOf(webhookId, accountId);
          const free = countFreePermits(webhook, trial) - webhook.waiting.length;
          const count = Math.max(0, Math.min(free, trial.available(), max));
          if (count > 0) trial.add(webhook, count);
          return count;
        },
      };
    },
  };
}

function firstWhere<T>(items: Iterable<T>, isWanted: (item: T) => boolean): T | undefined {
  for (const item of items) if (isWanted(item)) return item;
  return undefined;
}
