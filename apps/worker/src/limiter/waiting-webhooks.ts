import type { Permit } from './permit.js';
import type { LimitedWebhook } from './limited-webhook.js';

/**
 * The webhooks that have deliveries waiting for a permit, grouped by account. The accounts, and the webhooks of each,
 * are in the order in which they are served.
 */
export type WaitingWebhooks = {
  /** Resolves with a permit, or with null when the wait ends without one. */
  wait(webhook: LimitedWebhook): Promise<Permit | null>;
  /** Gives a permit to the delivery that has waited longest. Moves the webhook and its account to the end. */
  serve(webhook: LimitedWebhook, permit: Permit): void;
  /** Ends the waits of a webhook that have lasted for `minMs`, without a permit. */
  end(webhook: LimitedWebhook, minMs: number): void;
  /** The account's webhooks, in order. */
  ofAccount(accountId: string): LimitedWebhook[];
  /**
   * Each account with its webhooks, in order. An account that is moved to the end during the iteration is visited
   * again.
   */
  byAccount(): Iterable<[string, Iterable<LimitedWebhook>]>;
};

export function createWaitingWebhooks(now: () => number): WaitingWebhooks {
  const accounts = new Map<string, Set<LimitedWebhook>>();
  /** Adds the webhook at the end if it has waiting deliveries and is absent, and removes it if it has none. */
  const update = (webhook: LimitedWebhook) => {
    const { accountId, waiting } = webhook;
    const webhooks = accounts.get(accountId) ?? new Set();
    if (waiting.length > 0) webhooks.add(webhook);
    else webhooks.delete(webhook);
    if (webhooks.size > 0) accounts.set(accountId, webhooks);
    else accounts.delete(accountId);
  };
  const moveToEnd = (webhook: LimitedWebhook) => {
    const webhooks = accounts.get(webhook.accountId) ?? new Set();
    webhooks.delete(webhook);
    accounts.delete(webhook.accountId);
    if (webhooks.size > 0) accounts.set(webhook.accountId, webhooks);
    update(webhook);
  };
  return {
    wait: (webhook) =>
      new Promise((resolve) => {
        webhook.waiting.push({ sinceMonotonicMs: now(), resolve });
        update(webhook);
      }),
    serve(webhook, permit) {
      webhook.waiting.shift()?.resolve(permit);
      moveToEnd(webhook);
    },
    end(webhook, minMs) {
      const count = webhook.waiting.filter(({ sinceMonotonicMs }) => now() - sinceMonotonicMs >= minMs).length;
      if (count === 0) return;
      for (const { resolve } of webhook.waiting.splice(0, count)) resolve(null);
      update(webhook);
    },
    ofAccount: (accountId) => [...(accounts.get(accountId) ?? [])],
    byAccount: () => accounts,
  };
}
