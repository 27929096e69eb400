/** A job that waits in an event queue. `accountId` and `webhookId` are empty when its event does not name them. */
export type WaitingJob = { id: string; accountId: string; webhookId: string };

/**
 * A position for each job id; the job with the lowest position is fetched first. Later calls of `assign` take these
 * positions into account only after `commit`.
 */
export type Assignment = { positions: Map<string, number>; commit(): void };

export type RoundRobin = {
  /** `lowestPosition` is the lowest position of any waiting job; null if none has one. */
  assign(jobs: WaitingJob[], lowestPosition: number | null): Assignment;
};

// The number of positions in a round, and of webhooks that an account can add to it.
const roundSize = 8;
// Both queue engines store integers up to this one exactly.
const maxPosition = 2_000_000_000;
const minCleanupSize = 1_000;
// Ids are UUIDs, but a producer can send any text.
const maxIdLength = 64;

/**
 * Orders events in rounds. A round has at most one event for each webhook. The events of an account that name no
 * webhook count as one more webhook. So a flood for one webhook delays the others by one event a round, not by its
 * whole length. An account can add at most eight webhooks to a round: otherwise a flood over thousands of webhooks
 * would come before all other events. The webhooks of earlier rounds stay while they have events, so a long flood over
 * many webhooks takes a growing part of each round. The events of a webhook keep their order. All this holds for the
 * events that one worker positions: each worker counts its own rounds.
 */
export function createRoundRobin(): RoundRobin {
  // The last position of each webhook, and for each account the first position of the webhook that was added last.
  const lastOfWebhook = new Map<string, number>();
  const lastStartOfAccount = new Map<string, number>();
  let cleanupSize = minCleanupSize;

  /** Deletes the positions of events that were fetched, if there are many positions. */
  const deleteBefore = (lowest: number) => {
    if (lastOfWebhook.size < cleanupSize) return;
    for (const positions of [lastOfWebhook, lastStartOfAccount])
      for (const [key, position] of positions) if (position < lowest) positions.delete(key);
    cleanupSize = lastOfWebhook.size * 2 + minCleanupSize;
  };
  return {
    assign(jobs, lowestPosition) {
      if (lowestPosition === null) for (const positions of [lastOfWebhook, lastStartOfAccount]) positions.clear();
      const lowest = Math.max(1, lowestPosition ?? 1);
      deleteBefore(lowest);
      const newLastOfWebhook = new Map<string, number>();
      const newLastStartOfAccount = new Map<string, number>();
      const nextPosition = ({ accountId, webhookId }: WaitingJob) => {
        const account = accountId.slice(0, maxIdLength);
        const key = `${account} ${webhookId.slice(0, maxIdLength)}`;
        const last = newLastOfWebhook.get(key) ?? lastOfWebhook.get(key) ?? 0;
        const lastStart = newLastStartOfAccount.get(account) ?? lastStartOfAccount.get(account) ?? 0;
        const isInRound = last >= lowest;
        const position = Math.min(isInRound ? last + roundSize : Math.max(lowest, lastStart + 1), maxPosition);
        newLastOfWebhook.set(key, position);
        if (!isInRound) newLastStartOfAccount.set(account, position);
        return position;
      };
      return {
        positions: new Map(jobs.map((job) => [job.id, nextPosition(job)])),
        commit() {
          for (const [key, position] of newLastOfWebhook) lastOfWebhook.set(key, position);
          for (const [key, position] of newLastStartOfAccount) lastStartOfAccount.set(key, position);
        },
      };
    },
  };
}
