/** An event that waits in an ingress queue, with its account and webhook; empty where the event does not name them. */
export type WaitingEvent = { id: string; accountId: string; webhookId: string };

/** A position for each id; the lowest is taken first. `commit` keeps it; without that the next call does not know of it. */
export type Assignment = { positions: Map<string, number>; commit(): void };

export type RoundRobin = {
  /** `first`: the lowest position of a waiting event; null when no event has one. */
  assign(events: WaitingEvent[], first: number | null): Assignment;
};

// The positions of one round: an account can start this many webhooks in it.
const roundSize = 8;
// Both queue engines store integers up to here exactly.
const maxPosition = 2_000_000_000;
const minForgotten = 1_000;
// Ids are UUIDs, but a producer can send any text.
const maxNameLength = 64;

/**
 * Orders events in rounds. A round has one event of each webhook, and one event of each account among those that name no
 * webhook. So an account with few events waits for one event of each flood, not for the whole flood. An account can start
 * at most eight webhooks in a round: otherwise a flood over thousands of webhooks would come before all others. The events
 * of a webhook keep their order. Workers count separately, so a flood has as many events in a round as there are workers.
 */
export function createRoundRobin(): RoundRobin {
  const lastOfWebhook = new Map<string, number>();
  const lastStartOfAccount = new Map<string, number>();
  let forgetAbove = minForgotten;

  const forgetBefore = (first: number) => {
    if (lastOfWebhook.size < forgetAbove) return;
    for (const positions of [lastOfWebhook, lastStartOfAccount])
      for (const [key, position] of positions) if (position < first) positions.delete(key);
    forgetAbove = lastOfWebhook.size * 2 + minForgotten;
  };
  return {
    assign(events, lowest) {
      if (lowest === null) for (const positions of [lastOfWebhook, lastStartOfAccount]) positions.clear();
      const first = Math.max(1, lowest ?? 1);
      forgetBefore(first);
      const [newLast, newStarts] = [new Map<string, number>(), new Map<string, number>()];
      const positionOf = ({ accountId, webhookId }: WaitingEvent) => {
        const account = accountId.slice(0, maxNameLength);
        const key = `${account} ${webhookId.slice(0, maxNameLength)}`;
        const last = newLast.get(key) ?? lastOfWebhook.get(key) ?? 0;
        const lastStart = newStarts.get(account) ?? lastStartOfAccount.get(account) ?? 0;
        const hasWaiting = last >= first;
        const position = Math.min(hasWaiting ? last + roundSize : Math.max(first, lastStart + 1), maxPosition);
        newLast.set(key, position);
        if (!hasWaiting) newStarts.set(account, position);
        return position;
      };
      return {
        positions: new Map(events.map((event) => [event.id, positionOf(event)])),
        commit() {
          for (const [key, position] of newLast) lastOfWebhook.set(key, position);
          for (const [key, position] of newStarts) lastStartOfAccount.set(key, position);
        },
      };
    },
  };
}
