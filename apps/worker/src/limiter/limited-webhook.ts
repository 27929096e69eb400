import type { Permit, WebhookPermits } from './permit.js';
import type { ReceiverHealth } from './receiver-health.js';

/**
 * What the limiter knows about a webhook. It exists while the webhook has permits or waiting deliveries, and for a
 * minute longer while its receiver is unhealthy. A healthy webhook that becomes idle starts again with a new one.
 */
export type LimitedWebhook = WebhookPermits & {
  webhookId: string;
  accountId: string;
  limit: number;
  health: ReceiverHealth;
  /** Whether an attempt has ended with a healthy receiver since this object was created. */
  hasHadHealthyAttempt: boolean;
  /** When a permit was last released, else when this object was created. */
  lastReleasedAt: number;
  /** Deliveries that wait for a permit, the oldest first. */
  waiting: { since: number; resolve(permit: Permit | null): void }[];
};

type Initial = Pick<LimitedWebhook, 'webhookId' | 'accountId' | 'limit' | 'lastReleasedAt'>;

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
