import type { ClaimRequest, WebhookChannel } from '@ringback/ledger';
import type { ClaimBudget } from '../limiter/concurrency-limiter.js';

/** The requests of one claim, while they are collected. */
export type ClaimBuilder = {
  readonly startedAtMonotonicMs: number;
  readonly requests: ClaimRequest[];
  /** Whether the claim can take no further webhook. */
  isFull(): boolean;
  /**
   * Whether the claim already names this webhook. A second request for it would spend its rate limit twice in one
   * statement.
   */
  includes(webhookId: string): boolean;
  /** Requests up to `max` deliveries of a webhook, at most 50. Returns how many; 0 when it has no free permit. */
  request(webhook: WebhookChannel, max: number): number;
};

const maxPerWebhook = 50;
const maxWebhooks = 200;

export type ClaimLimits = {
  /** Maximum deliveries to claim. */
  availableLeases: number;
  budget: ClaimBudget;
};

type ClaimBuilderOptions = ClaimLimits & { startedAtMonotonicMs: number };

export function createClaimBuilder({
  availableLeases,
  budget,
  startedAtMonotonicMs,
}: ClaimBuilderOptions): ClaimBuilder {
  const requests: ClaimRequest[] = [];
  const webhookIds = new Set<string>();
  let leasesLeft = availableLeases;
  return {
    startedAtMonotonicMs,
    requests,
    isFull: () => leasesLeft <= 0 || requests.length >= maxWebhooks,
    includes: (webhookId) => webhookIds.has(webhookId),
    request({ webhookId, accountId, channel }, max) {
      const limit = budget.reserve(webhookId, accountId, Math.min(maxPerWebhook, leasesLeft, max));
      if (limit === 0) return 0;
      requests.push({ webhookId, channel, limit });
      webhookIds.add(webhookId);
      leasesLeft -= limit;
      return limit;
    },
  };
}
