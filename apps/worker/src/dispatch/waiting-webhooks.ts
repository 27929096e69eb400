type Waiting = { accountId: string; waiting: readonly unknown[] };

/**
 * The webhooks that have deliveries waiting for a permit, grouped by account. The accounts, and the webhooks of each, are
 * in the order in which they are served.
 */
export type WaitingWebhooks<W extends Waiting> = {
  /** Adds the webhook at the end if it has waiting deliveries and is absent, and removes it if it has none. */
  update(webhook: W): void;
  /** Moves the webhook and its account to the end after one of its deliveries got a permit. */
  handleServed(webhook: W): void;
  ofAccount(accountId: string): W[];
  /** Each account with its webhooks, in order. An account that is moved to the end during the iteration is visited again. */
  byAccount(): Iterable<[string, Iterable<W>]>;
};

export function createWaitingWebhooks<W extends Waiting>(): WaitingWebhooks<W> {
  const accounts = new Map<string, Set<W>>();
  const update = (webhook: W) => {
    const { accountId, waiting } = webhook;
    const webhooks = accounts.get(accountId) ?? new Set();
    if (waiting.length > 0) webhooks.add(webhook);
    else webhooks.delete(webhook);
    if (webhooks.size > 0) accounts.set(accountId, webhooks);
    else accounts.delete(accountId);
  };
  return {
    update,
    handleServed(webhook) {
      const webhooks = accounts.get(webhook.accountId) ?? new Set();
      webhooks.delete(webhook);
      accounts.delete(webhook.accountId);
      if (webhooks.size > 0) accounts.set(webhook.accountId, webhooks);
      update(webhook);
    },
    ofAccount: (accountId) => [...(accounts.get(accountId) ?? [])],
    byAccount: () => accounts,
  };
}
