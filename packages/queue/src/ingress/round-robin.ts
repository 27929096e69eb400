/** An event that waits in an ingress queue. `accountId` and `webhookId` are empty when the event does not name them. */
export type WaitingEvent = { id: string; accountId: string; webhookId: string };

/**
 * A position for each event id; the lowest is fetched first. Later calls of `assign` build on it only after `commit`.
 */
export type Assignment = { positions: Map<string, number>; commit(): void };

export type RoundRobin = {
  /** `lowestPosition` is that of the waiting events; null if no event has one. */
  assign(events: WaitingEvent[], lowestPosition: number | null): Assignment;
};

// The number of positions in a round, and of webhooks that an account can add to it.
const roundSize = 8;
// Both queue engines store integers up to here exactly.
const maxPosition = 2_000_000_000;
const minCleanupSize = 1_000;
// Ids are UUIDs, but a producer can send any text.
const maxIdLength = 64;

/**
 * Orders events in rounds. A round has at most one event for each webhook, and one for each account among those that
 * name no webhook. So a flood for one webhook delays the others by one event a round, not by its whole length. An
 * account can add at most eight webhooks to a round: otherwise a flood over thousands of webhooks would come before all
 * other events. The webhooks of earlier rounds stay while they have events, so a long flood over many webhooks takes a
 * growing part of each round. The events of a webhook keep their order. All this holds for the events that one worker
 * positions: each worker counts its own rounds.
 */
export function createRoundRobin(): RoundRobin {
  // The last position of each webhook, and the last one at which a webhook of each account entered the rounds.
  const lastOfWebhook = new Map<string, number>();
  const lastStartOfAccount = new Map<string, number>();
  let cleanupSize = minCleanupSize;

  /** Deletes the positions of events that were fetched, once there are many. */
  const deleteBefore = (start: number) => {
    if (lastOfWebhook.size < cleanupSize) return;
    for (const positions of [lastOfWebhook, lastStartOfAccount])
      for (const [key, position] of positions) if (position < start) positions.delete(key);
    cleanupSize = lastOfWebhook.size * 2 + minCleanupSize;
  };
  return {
    assign(events, lowestPosition) {
      if (lowestPosition === null) for (const positions of [lastOfWebhook, lastStartOfAccount]) positions.clear();
      const start = Math.max(1, lowestPosition ?? 1);
      deleteBefore(start);
      const newLast = new Map<string, number>();
      const newStarts = new Map<string, number>();
      const positionOf = ({ accountId, webhookId }: WaitingEvent) => {
        const account = accountId.slice(0, maxIdLength);
        const key = `${account} ${webhookId.slice(0, maxIdLength)}`;
        const last = newLast.get(key) ?? lastOfWebhook.get(key) ?? 0;
        const lastStart = newStarts.get(account) ?? lastStartOfAccount.get(account) ?? 0;
        const hasWaiting = last >= start;
        const position = Math.min(hasWaiting ? last + roundSize : Math.max(start, lastStart + 1), maxPosition);
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
