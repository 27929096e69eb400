import type { CallResult, ReceiverHealth } from './receiver-health.js';

/** Permission for one call. It must be released when the call has ended. */
export type Permit = {
  /** Reports that the request is sent now: from here on, the receiver is timed. */
  start(): void;
  /**
   * Without a result, no call was made, and the webhook's limit and health do not change. A second release does nothing.
   */
  release(result?: CallResult): void;
};

/**
 * What the limiter knows about a webhook. It exists while the webhook has permits or waiting deliveries, and for a minute
 * longer while its receiver is unhealthy. A healthy webhook that becomes idle starts again with a new state.
 */
export type WebhookState = {
  webhookId: string;
  accountId: string;
  limit: number;
  health: ReceiverHealth;
  /** Whether a call has ended with a healthy receiver since this state began, that is, since the webhook was idle. */
  wasHealthy: boolean;
  /** The granted permits: of calls that are prepared, and of calls in flight. */
  permits: Set<Permit>;
  /** When each call in flight started, the oldest first. */
  inFlight: Map<Permit, number>;
  /** When the last call ended, else when the state began. */
  lastEndedAt: number;
  /** Deliveries that wait for a permit, the oldest first. */
  waiting: { since: number; resolve(permit: Permit | null): void }[];
};

type Initial = Pick<WebhookState, 'webhookId' | 'accountId' | 'limit' | 'lastEndedAt'>;

export function createWebhookState(initial: Initial): WebhookState {
  return { ...initial, health: 'healthy', wasHealthy: false, permits: new Set(), inFlight: new Map(), waiting: [] };
}
