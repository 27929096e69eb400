import type { DeliveryLog, LogEntry } from './delivery-log.js';

// A row becomes visible when its transaction commits, which may be after a newer row has become visible.
const overlapMs = 30_000;
const firstAttemptTimeoutMs = 600_000;

export type Follower = { next(): Promise<LogEntry[]> };

/**
 * Follows the deliveries that are created from now on. `next` resolves with those that have got their first attempt, or
 * have ended without one, since the last call of `next`: oldest first, and each only once. A delivery that is pending
 * without an attempt is given up after another one is created more than ten minutes later.
 */
export async function followNewDeliveries(log: DeliveryLog): Promise<Follower> {
  const [latest] = await log.list(null);
  // The first call of `next` lists these again, because of the overlap. They count as seen.
  const existing = latest ? await log.list(new Date(latest.createdAt.getTime() - overlapMs)) : [];
  const seen = new Map(existing.map(({ id, createdAt }) => [id, createdAt.getTime()]));
  // The ids and times of deliveries that are pending without an attempt.
  const waiting = new Map<string, number>();
  let newestMs = latest?.createdAt.getTime() ?? -Infinity;

  const listFrom = () => {
    const sinceMs = Math.min(newestMs - overlapMs, ...waiting.values());
    return new Date(Math.max(0, sinceMs));
  };
  const deleteOldEntries = () => {
    for (const [id, createdAtMs] of waiting) {
      if (createdAtMs >= newestMs - firstAttemptTimeoutMs) continue;
      waiting.delete(id);
      seen.set(id, createdAtMs);
    }
    const sinceMs = listFrom().getTime();
    for (const [id, createdAtMs] of seen) if (createdAtMs < sinceMs) seen.delete(id);
  };
  return {
    async next() {
      const listed = (await log.list(listFrom())).reverse().filter(({ id }) => !seen.has(id));
      const ready = listed.filter(({ attemptCount, state }) => attemptCount > 0 || state !== 'pending');
      for (const { id, createdAt } of listed) {
        waiting.set(id, createdAt.getTime());
        newestMs = Math.max(newestMs, createdAt.getTime());
      }
      for (const { id, createdAt } of ready) {
        waiting.delete(id);
        seen.set(id, createdAt.getTime());
      }
      deleteOldEntries();
      return ready;
    },
  };
}
