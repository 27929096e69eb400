import type { Cluster, Redis } from 'ioredis';

/** How many hits a key has in its window, this one included, and when the window ends. */
export type Hits = { hits: number; endsInMs: number };

/** Counts a hit; a key's window begins with its first. */
export type CountHit = (key: string) => Promise<Hits>;

const script = `local hits = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {hits, left}`;

/** Counts a hit of a key in Redis, in one step, so that many processes share one count. */
export async function countInRedis(client: Redis | Cluster, key: string, windowMs: number): Promise<Hits> {
  const answer: unknown = await client.eval(script, 1, key, windowMs);
  if (!Array.isArray(answer)) throw new Error('Redis answered a count with something else');
  const [hits, endsInMs] = answer.map(Number);
  return { hits: hits ?? 0, endsInMs: endsInMs ?? windowMs };
}
