import type { ClaimRequest, WebhookChannel } from '@ringback/database';
import type { ClaimBudget } from '../limiter/concurrency-limiter.js';

/** The requests of one claim, while they are collected. */
export type ClaimSelection = {
  readonly startedAt: number;
  readonly requests: ClaimRequest[];
  /** Whether the claim can take no further webhook. */
  isFull(): boolean;
  /**
   * Whether the claim already names this webhook. A second request for it would spend its rate limit twice in one
   * statement.
   */
  includes(webhookId: string): boolean;
  /** Requests up to `max` deliveries of a webhook. Returns how many; 0 when the webhook has no free permit. */
  tryAdd(webhook: WebhookChannel, max: number): number;
};

const maxPerWebhook = 50;
const maxWebhooks = 200;

type Limits = {
  /** Maximum deliveries to claim. */
  capacity: number;
  budget: ClaimBudget;
};

export function createClaimSelection({ capacity, budget, startedAt }: Limits & { startedAt: number }): ClaimSelection {
  const requests: ClaimRequest[] = [];
  const webhookIds = new Set<string>();
  let capacityLeft = capacity;
  return {
    startedAt,
    requests,
    isFull: () => capacityLeft <= 0 || requests.length >= maxWebhooks,
    includes: (webhookId) => webhookIds.has(webhookId),
    tryAdd({ webhookId, accountId, channel }, max) {
      const limit = budget.reserve(webhookId, accountId, Math.min(maxPerWebhook, capacityLeft, max));
      if (limit === 0) return 0;
      requests.push({ webhookId, channel, limit });
      webhookIds.add(webhookId);
      capacityLeft -= limit;
      return limit;
    },
  };
}
