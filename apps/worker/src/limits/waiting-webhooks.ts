import type { LimitedWebhook, Permit } from './limited-webhook.js';

/**
 * The webhooks that have deliveries waiting for a permit, grouped by account. The accounts, and the webhooks of each,
 * are in the order in which they are served.
 */
export class WaitingWebhooks {
  readonly #accounts = new Map<string, Set<LimitedWebhook>>();
  /**
   * Each account with its webhooks, in order. An account that is moved to the end during the iteration is visited
   * again.
   */
  readonly byAccount: Iterable<[string, Iterable<LimitedWebhook>]> = this.#accounts;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Resolves with a permit, or with null when the wait ends without one. */
  wait(webhook: LimitedWebhook): Promise<Permit | null> {
    return new Promise((resolve) => {
      webhook.waiting.push({ sinceMonotonicMs: this.#now(), resolve });
      this.#update(webhook);
    });
  }

  /** Gives a permit to the delivery that has waited longest. Moves the webhook and its account to the end. */
  serve(webhook: LimitedWebhook, permit: Permit): void {
    webhook.waiting.shift()?.resolve(permit);
    const webhooks = this.#accounts.get(webhook.accountId) ?? new Set();
    webhooks.delete(webhook);
    this.#accounts.delete(webhook.accountId);
    if (webhooks.size > 0) this.#accounts.set(webhook.accountId, webhooks);
    this.#update(webhook);
  }

  /** Ends the waits of a webhook that have lasted for `minMs`, without a permit. */
  end(webhook: LimitedWebhook, minMs: number): void {
    const now = this.#now();
    const count = webhook.waiting.filter(({ sinceMonotonicMs }) => now - sinceMonotonicMs >= minMs).length;
    if (count === 0) return;
    for (const { resolve } of webhook.waiting.splice(0, count)) resolve(null);
    this.#update(webhook);
  }

  ofAccount(accountId: string): LimitedWebhook[] {
    return [...(this.#accounts.get(accountId) ?? [])];
  }

  /** Adds the webhook at the end if it has waiting deliveries and is absent, and removes it if it has none. */
  #update(webhook: LimitedWebhook): void {
    const { accountId, waiting } = webhook;
    const webhooks = this.#accounts.get(accountId) ?? new Set();
    if (waiting.length > 0) webhooks.add(webhook);
    else webhooks.delete(webhook);
    if (webhooks.size > 0) this.#accounts.set(accountId, webhooks);
    else this.#accounts.delete(accountId);
  }
}
