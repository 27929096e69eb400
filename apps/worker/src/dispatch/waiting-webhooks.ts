type Waiting = { accountId: string; waiting: readonly unknown[] };

/** The webhooks for which deliveries wait for a permit, by account. */
export type WaitingWebhooks<W extends Waiting> = {
  /** Reads whether deliveries wait for the webhook; it becomes the last of its account, or leaves. */
  update(webhook: W): void;
  ofAccount(accountId: string): W[];
  /** Each account with its webhooks, in their order. A webhook that is updated meanwhile comes again. */
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
