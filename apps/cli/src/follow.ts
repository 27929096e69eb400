import type { DeliveryLog, LogEntry } from './delivery-log.js';

// A row becomes visible when its transaction commits, which may be later than the commit of a newer row.
const overlapMs = 30_000;
const firstAttemptTimeoutMs = 600_000;

export type Follower = { next(): Promise<LogEntry[]> };

/**
 * Follows a delivery log from now on. `next` resolves with the deliveries that got their first attempt, or were skipped,
 * since the last call: oldest first and each once. A delivery without an attempt for ten minutes is ignored from then on.
 */
export async function follow(log: DeliveryLog): Promise<Follower> {
  const existing = await log.list(null);
  const seen = new Map(existing.map(({ id, createdAt }) => [id, createdAt.getTime()]));
  const waiting = new Map<string, number>();
  let newest = Math.max(-Infinity, ...seen.values());

  const readFrom = () => {
    const since = Math.min(newest - overlapMs, ...waiting.values());
    return new Date(Math.max(0, since));
  };
  const forgetOld = () => {
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
      forgetOld();
      return ready;
    },
  };
}
