import type { AttemptTiming, ReceiverHealth } from './receiver-health.js';

/** Permission for one attempt. It must be released when the attempt has been recorded, or when none is made. */
export type Permit = {
  /** Starts to time the receiver, just before the request is sent. False when no attempt may start any more. */
  tryStart(): boolean;
  /** Reports how the attempt ended, which changes the webhook's limit and health. */
  reportEnd(result: AttemptTiming): void;
  /** A second release does nothing. */
  release(): void;
};

/**
 * What the limiter knows about a webhook. It exists while the webhook has permits or waiting deliveries, and for a minute
 * longer while its receiver is unhealthy. A healthy webhook that becomes idle starts again with a new state.
 */
export type LimitedWebhook = {
  webhookId: string;
  accountId: string;
  limit: number;
  health: ReceiverHealth;
  /** Whether an attempt has ended with a healthy receiver since this state was created. */
  hasHadHealthyAttempt: boolean;
  /** The granted permits: of attempts that are prepared, in flight, or being recorded. */
  permits: Set<Permit>;
  /** When the request of each attempt in flight started, the oldest first. */
  inFlight: Map<Permit, number>;
  /** When a permit was last released, else when this state was created. */
  lastReleasedAt: number;
  /** Deliveries that wait for a permit, the oldest first. */
  waiting: { since: number; resolve(permit: Permit | null): void }[];
};

type Initial = Pick<LimitedWebhook, 'webhookId' | 'accountId' | 'limit' | 'lastReleasedAt'>;

export function createWebhookState(initial: Initial): LimitedWebhook {
  return {
    ...initial,
    health: 'healthy',
    hasHadHealthyAttempt: false,
    permits: new Set(),
    inFlight: new Map(),
    waiting: [],
  };
}
