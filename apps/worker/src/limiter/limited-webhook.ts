import type { Permit, WebhookPermits } from './permit.js';
import type { ReceiverHealth } from './receiver-health.js';

/**
 * What the limiter knows about a webhook, while the webhook has permits or waiting deliveries. If its receiver is slow
 * or unresponsive, the limiter keeps this object for a minute after the last release of a permit.
 */
export type LimitedWebhook = WebhookPermits & {
  webhookId: string;
  accountId: string;
  limit: number;
  health: ReceiverHealth;
  /** Whether an attempt has ended with a healthy receiver since this object was created. */
  hasHadHealthyAttempt: boolean;
  /** When a permit was last released, else when this object was created. */
  lastReleasedAtMonotonicMs: number;
  /** Deliveries that wait for a permit, the oldest first. */
  waiting: { sinceMonotonicMs: number; resolve(permit: Permit | null): void }[];
};

type Initial = Pick<LimitedWebhook, 'webhookId' | 'accountId' | 'limit' | 'lastReleasedAtMonotonicMs'>;

export function createLimitedWebhook(initial: Initial): LimitedWebhook {
  return {
    ...initial,
    health: 'healthy',
    hasHadHealthyAttempt: false,
    permits: new Set(),
    inFlight: new Map(),
    waiting: [],
  };
}
