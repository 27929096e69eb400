import type { DeliveryLog, LogEntry } from './delivery-log.js';

// A row becomes visible when its transaction commits, which may be after a newer row has become visible.
const overlapMs = 30_000;
const firstAttemptTimeoutMs = 600_000;

export type Follower = { next(): Promise<LogEntry[]> };

/**
 * Follows a delivery log from now on. `next` resolves with the deliveries whose first attempt was made since its last
 * call, or which were skipped: oldest first, and each only once. A delivery is ignored if it is still without an
 * attempt when another one is created ten minutes later.
 */
export async function followNewDeliveries(log: DeliveryLog): Promise<Follower> {
  const [latest] = await log.list(null);
  // The first call of `next` lists these again, because of the overlap. They count as seen.
  const existing = latest ? await log.list(new Date(latest.createdAt.getTime() - overlapMs)) : [];
  const seen = new Map(existing.map(({ id, createdAt }) => [id, createdAt.getTime()]));
  const waiting = new Map<string, number>();
  let newest = latest?.createdAt.getTime() ?? -Infinity;

  const readFrom = () => {
    const since = Math.min(newest - overlapMs, ...waiting.values());
    return new Date(Math.max(0, since));
  };
  const deleteOldEntries = () => {
    for (const [id, createdAt] of waiting) {
      if (createdAt >= newest - firstAttemptTimeoutMs) continue;
      waiting.delete(id);
      seen.set(id, createdAt);
    }
    const since = readFrom().getTime();
    for (const [id, createdAt] of seen) if (createdAt < since) seen.delete(id);
  };
  return {
    async next() {
      const listed = (await log.list(readFrom())).reverse().filter(({ id }) => !seen.has(id));
      const ready = listed.filter(({ attemptCount, state }) => attemptCount > 0 || state !== 'pending');
      for (const { id, createdAt } of listed) {
        waiting.set(id, createdAt.getTime());
        newest = Math.max(newest, createdAt.getTime());
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
