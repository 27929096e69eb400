import type { CallResult, ReceiverHealth } from './receiver-health.js';

/**
 * Permission for one call, which is one HTTP request to the receiver. It must be released when the attempt has been
 * recorded, or when none is made.
 */
export type Permit = {
  /** Reports that the request is sent now. The receiver is timed from then on. False when no call may start any more. */
  start(): boolean;
  /** Reports how the call ended, which changes the webhook's limit and health. */
  end(result: CallResult): void;
  /** A second release does nothing. */
  release(): void;
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
  hasHadHealthyCall: boolean;
  /** The granted permits: of calls that are prepared, in flight, or being recorded. */
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
  return {
    ...initial,
    health: 'healthy',
    hasHadHealthyCall: false,
    permits: new Set(),
    inFlight: new Map(),
    waiting: [],
  };
}
