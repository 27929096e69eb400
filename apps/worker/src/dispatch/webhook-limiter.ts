import { createCallQuotas } from './call-quotas.js';
import { createConcurrencyLimit } from './concurrency-limit.js';
import { type CallResult, healthAfter, isOverdue, type ReceiverHealth } from './receiver-health.js';
import { createWaitingWebhooks } from './waiting-webhooks.js';
import { createWebhookState, type Permit, type WebhookState } from './webhook-state.js';

export type WebhookLimiter = {
  /** Resolves with a permit for one call, at once or within 2 s, or with `saturated`. */
  acquire(webhookId: string, accountId: string): Promise<Permit | 'saturated'>;
  /** Gives no more permits: deliveries that wait for one get `saturated`. */
  close(): void;
  /** Ids of slow and unresponsive webhooks without a free permit; at most 1,000. */
  saturated(): string[];
  /** Divides the free permits: the result allots at most `max` of them to a webhook, and counts what it allotted. */
  plan(): (webhookId: string, accountId: string, max: number) => number;
};

const maxSaturatedListed = 1_000;
const checkEveryMs = 100;
const forgetAfterMs = 60_000;
const maxWaitMs = 2_000;

/**
 * Limits the calls in flight of each webhook in this worker, so that a slow or failing receiver does not delay others.
 *
 * The algorithm is AIMD (additive increase, multiplicative decrease), one limit for each webhook, under shared quotas:
 *
 * - Limit (`concurrency-limit.ts`): starts at 4 calls; one more with each answer while it is reached, up to a quarter of
 *   `calls`, or 10 while the receiver is slow; halved by a call without an answer, down to 2.
 * - Health (`receiver-health.ts`): `healthy`, `slow` (answers after 500 ms) or `unresponsive`, judged when a call starts or
 *   ends and every 100 ms.
 * - Quotas (`call-quotas.ts`): unresponsive receivers get half of `calls` together, slow ones a quarter, one account three
 *   quarters of each.
 * - Waiting: deliveries of twice the limit may wait for a permit while the receiver is healthy, each for 2 s. All others
 *   get `saturated`: they wait in the database, where any worker may claim them.
 *
 * It guarantees that calls to unresponsive receivers never take more than half of `calls` from the others, that webhooks
 * of one account for which deliveries wait are served in turn, and that a receiver that recovers is healthy after its
 * first fast answer. It keeps no state of a healthy webhook without calls.
 */
export function createWebhookLimiter({
  calls,
  now = () => performance.now(),
}: {
  calls: number;
  now?: () => number;
}): WebhookLimiter {
  const concurrencyLimit = createConcurrencyLimit(calls);
  const quotas = createCallQuotas(calls);
  const webhooks = new Map<string, WebhookState>();
  const unhealthy = new Set<WebhookState>();
  const waitingWebhooks = createWaitingWebhooks<WebhookState>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const stateOf = (webhookId: string, accountId: string): WebhookState =>
    webhooks.get(webhookId) ??
    createWebhookState({ webhookId, accountId, limit: concurrencyLimit.initial, lastEndedAt: now() });

  /** How many permits a webhook may get under its limit and the quotas of its account and its health. */
  const freePermits = (webhook: WebhookState, counted = quotas) =>
    Math.min(webhook.limit - webhook.inFlight.size, counted.availableFor(webhook));
  const hasPermit = (webhook: WebhookState) => freePermits(webhook) > 0 && quotas.available() > 0;

  // While the unresponsive calls of an account use their quota, its webhooks that never answered are likely to join them.
  const isUntrusted = ({ accountId, wasHealthy }: WebhookState) =>
    !wasHealthy && quotas.isUnresponsiveQuotaUsed(accountId);
  const mayWait = (webhook: WebhookState) =>
    webhook.health === 'healthy' && webhook.waiting.length < 2 * webhook.limit && !isUntrusted(webhook);

  const forgetUnused = ({ webhookId, health, inFlight, waiting }: WebhookState) => {
    if (health === 'healthy' && inFlight.size + waiting.length === 0) webhooks.delete(webhookId);
  };
  const rejectWaiting = (webhook: WebhookState, count = webhook.waiting.length) => {
    for (const { resolve } of webhook.waiting.splice(0, count)) resolve('saturated');
    waitingWebhooks.update(webhook);
    forgetUnused(webhook);
  };

  const setHealth = (webhook: WebhookState, health: ReceiverHealth) => {
    if (webhook.health === health) return;
    quotas.add(webhook, -webhook.inFlight.size);
    webhook.health = health;
    quotas.add(webhook, webhook.inFlight.size);
    if (health === 'healthy') return void unhealthy.delete(webhook);
    unhealthy.add(webhook);
    rejectWaiting(webhook);
    for (const other of waitingWebhooks.ofAccount(webhook.accountId)) if (isUntrusted(other)) rejectWaiting(other);
  };
  const checkOverdue = (webhook: WebhookState) => {
    const [oldest] = webhook.inFlight.values();
    if (oldest !== undefined && isOverdue(webhook.health, now() - oldest)) setHealth(webhook, 'unresponsive');
  };

  const adapt = (webhook: WebhookState, result: CallResult) => {
    const wasReached = webhook.inFlight.size + 1 >= webhook.limit;
    const health = healthAfter(result);
    setHealth(webhook, health);
    webhook.wasHealthy ||= health === 'healthy';
    webhook.limit = concurrencyLimit.next(webhook.limit, { health, wasReached });
  };

  const start = (webhook: WebhookState): Permit => {
    const permit: Permit = {
      release(result) {
        if (!webhook.inFlight.delete(permit)) return;
        quotas.add(webhook, -1);
        webhook.lastEndedAt = now();
        if (result) adapt(webhook, result);
        admitWaiting(webhook);
        forgetUnused(webhook);
      },
    };
    webhooks.set(webhook.webhookId, webhook);
    webhook.inFlight.set(permit, now());
    quotas.add(webhook, 1);
    timer ??= setInterval(check, checkEveryMs).unref();
    return permit;
  };

  const admitOne = (webhook: WebhookState) => {
    if (webhook.waiting.length === 0 || !hasPermit(webhook)) return;
    webhook.waiting.shift()?.resolve(start(webhook));
    waitingWebhooks.update(webhook);
  };
  /** Serves the webhook whose call ended first, then the others in turn. */
  const admitWaiting = (first?: WebhookState) => {
    if (first) admitOne(first);
    for (const [accountId, waiting] of waitingWebhooks.byAccount())
      for (const webhook of waiting) {
        if (quotas.available() <= 0) return;
        // Thousands of webhooks of the account may wait, and none of them can be served.
        if (quotas.availableTo(accountId) <= 0) break;
        admitOne(webhook);
      }
  };

  const rejectLate = (webhook: WebhookState) => {
    const inTime = webhook.waiting.findIndex(({ since }) => now() - since < maxWaitMs);
    const count = inTime === -1 ? webhook.waiting.length : inTime;
    if (count > 0) rejectWaiting(webhook, count);
  };
  const forgetUncalled = (webhook: WebhookState) => {
    const { webhookId, health, inFlight, lastEndedAt } = webhook;
    if (health === 'healthy' || inFlight.size > 0 || now() - lastEndedAt < forgetAfterMs) return;
    unhealthy.delete(webhook);
    webhooks.delete(webhookId);
  };
  const check = () => {
    for (const webhook of webhooks.values()) {
      checkOverdue(webhook);
      rejectLate(webhook);
      forgetUncalled(webhook);
    }
    admitWaiting();
    if (webhooks.size === 0) timer = void clearInterval(timer);
  };

  return {
    async acquire(webhookId, accountId) {
      if (closed) return 'saturated';
      const webhook = stateOf(webhookId, accountId);
      checkOverdue(webhook);
      if (webhook.waiting.length === 0 && hasPermit(webhook)) return start(webhook);
      if (!mayWait(webhook)) return 'saturated';
      return new Promise((resolve) => {
        webhooks.set(webhookId, webhook);
        webhook.waiting.push({ since: now(), resolve });
        waitingWebhooks.update(webhook);
      });
    },
    close() {
      closed = true;
      for (const webhook of [...webhooks.values()]) rejectWaiting(webhook);
    },
    saturated() {
      const ids: string[] = [];
      for (const webhook of unhealthy) {
        if (ids.length >= maxSaturatedListed) break;
        if (!hasPermit(webhook)) ids.push(webhook.webhookId);
      }
      return ids;
    },
    plan() {
      const planned = quotas.copy();
      return (webhookId, accountId, max) => {
        const webhook = stateOf(webhookId, accountId);
        const free = freePermits(webhook, planned) - webhook.waiting.length;
        const allotted = Math.max(0, Math.min(free, planned.available(), max));
        if (allotted > 0) planned.add(webhook, allotted);
        return allotted;
      };
    },
  };
}
