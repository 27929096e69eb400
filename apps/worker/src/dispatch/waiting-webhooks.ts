type Waiting = { accountId: string; waiting: readonly unknown[] };

/** The webhooks that have deliveries waiting for a permit, grouped by account. */
export type WaitingWebhooks<W extends Waiting> = {
  /** Moves the webhook to the end of its account's list if it has waiting deliveries, or else removes it from the list. */
  update(webhook: W): void;
  ofAccount(accountId: string): W[];
  /** Each account with its webhooks, in order. A webhook that is moved to the end during the iteration comes again. */
  byAccount(): Iterable<[string, Iterable<W>]>;
};

export function createWaitingWebhooks<W extends Waiting>(): WaitingWebhooks<W> {
  const accounts = new Map<string, Set<W>>();
  return {
    update(webhook) {
      const { accountId, waiting } = webhook;
      const webhooks = accounts.get(accountId) ?? new Set();
      webhooks.delete(webhook);
      if (waiting.length > 0) accounts.set(accountId, webhooks.add(webhook));
      else if (webhooks.size === 0) accounts.delete(accountId);
    },
    ofAccount: (accountId) => [...(accounts.get(accountId) ?? [])],
    byAccount: () => accounts,
  };
}
