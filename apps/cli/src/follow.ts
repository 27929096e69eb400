import type { FollowedLog, LogEntry } from './delivery-log.js';

// Rows come to light when their transaction ends, which may be after that of a younger one.
const overlapMs = 30_000;
const patienceMs = 600_000;

export type Follower = { next(): Promise<LogEntry[]> };

/**
 * Follows a log from now on. `next` resolves with the deliveries that are ready since the last call, oldest first and
 * each once: a first attempt was made, or there will be none. One that waits longer than ten minutes for its first
 * attempt is given up.
 */
export async function follow(log: FollowedLog): Promise<Follower> {
  const first = await log.list(null);
  const seen = new Map(first.map(({ id, at }) => [id, at.getTime()]));
  let newest = Math.max(-Infinity, ...seen.values());
  const waiting = new Map<string, number>();

  const from = () => {
    const since = Math.min(newest - overlapMs, ...waiting.values());
    return new Date(Math.max(0, since));
  };
  const forget = () => {
    for (const [id, at] of waiting) {
      if (at >= newest - patienceMs) continue;
      waiting.delete(id);
      seen.set(id, at);
    }
    const since = from().getTime();
    for (const [id, at] of seen) if (at < since) seen.delete(id);
  };
  return {
    async next() {
      const listed = (await log.list(from())).reverse().filter(({ id }) => !seen.has(id));
      const ready = listed.filter(({ attempts, state }) => attempts > 0 || state !== 'pending');
      for (const { id, at } of listed) {
        waiting.set(id, at.getTime());
        newest = Math.max(newest, at.getTime());
      }
      for (const { id, at } of ready) {
        waiting.delete(id);
        seen.set(id, at.getTime());
      }
      forget();
      return ready;
    },
  };
}
