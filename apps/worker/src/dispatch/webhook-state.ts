import type { CallResult, ReceiverHealth } from './receiver-health.js';

/** Permission for one call. It must be released when the call is over. */
export type Permit = {
  /** Without a result no call was made, and the limit stays as it is. */
  release(result?: CallResult): void;
};

/** What the limiter knows of a webhook that has calls, or had an unhealthy receiver in the last minute. */
export type WebhookState = {
  webhookId: string;
  accountId: string;
  limit: number;
  health: ReceiverHealth;
  /** Whether a call has ever ended with a healthy receiver. */
  wasHealthy: boolean;
  /** When each call in flight started, the oldest first. */
  inFlight: Map<Permit, number>;
  lastEndedAt: number;
  /** Deliveries that wait for a permit, the oldest first. */
  waiting: { since: number; resolve(permit: Permit | 'saturated'): void }[];
};

type Initial = Pick<WebhookState, 'webhookId' | 'accountId' | 'limit' | 'lastEndedAt'>;

export function createWebhookState(initial: Initial): WebhookState {
  return { ...initial, health: 'healthy', wasHealthy: false, inFlight: new Map(), waiting: [] };
}
