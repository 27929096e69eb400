import type { AttemptQuotas } from './attempt-quotas.js';
import { type AttemptTiming, healthAfter, isOverdue, type ReceiverHealth } from './receiver-health.js';
import type { LimitedWebhook } from './limited-webhook.js';

type HealthTrackerDeps = {
  quotas: AttemptQuotas;
  now(): number;
  /** Called when the health of a webhook has changed to slow or unresponsive. */
  onUnhealthy(webhook: LimitedWebhook): void;
};

/** Judges the receivers of webhooks, and charges their permits to the quotas of their health. */
export type HealthTracker = {
  /** Judges the receiver by an attempt that has ended. Returns its health. */
  observe(webhook: LimitedWebhook, timing: AttemptTiming): ReceiverHealth;
  /** Judges the receiver by its oldest attempt in flight. */
  observeInFlight(webhook: LimitedWebhook): void;
  /**
   * Whether a webhook is presumed unresponsive: none of its attempts was healthy, and its account has used up the quota
   * of attempts to unresponsive receivers.
   */
  isPresumedUnresponsive(webhook: LimitedWebhook): boolean;
  /** The webhooks with a slow or unresponsive receiver. */
  unhealthy(): Iterable<LimitedWebhook>;
  /** Removes a webhook from those that `unhealthy` lists. */
  forget(webhook: LimitedWebhook): void;
};

export function createHealthTracker({ quotas, now, onUnhealthy }: HealthTrackerDeps): HealthTracker {
  const unhealthy = new Set<LimitedWebhook>();
  const setHealth = (webhook: LimitedWebhook, health: ReceiverHealth) => {
    if (webhook.health === health) return;
    quotas.add(webhook, -webhook.permits.size);
    webhook.health = health;
    quotas.add(webhook, webhook.permits.size);
    if (health === 'healthy') return void unhealthy.delete(webhook);
    unhealthy.add(webhook);
    onUnhealthy(webhook);
  };
  return {
    observe(webhook, timing) {
      const health = healthAfter(timing);
      setHealth(webhook, health);
      webhook.hasHadHealthyAttempt ||= health === 'healthy';
      return health;
    },
    observeInFlight(webhook) {
      const [oldest] = webhook.inFlight.values();
      if (oldest !== undefined && isOverdue(webhook.health, now() - oldest)) setHealth(webhook, 'unresponsive');
    },
    isPresumedUnresponsive: ({ accountId, hasHadHealthyAttempt }) =>
      !hasHadHealthyAttempt && quotas.isUnresponsiveQuotaExhausted(accountId),
    unhealthy: () => unhealthy,
    forget: (webhook) => void unhealthy.delete(webhook),
  };
}
