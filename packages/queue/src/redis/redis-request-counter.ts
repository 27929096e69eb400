import type { Cluster, Redis } from 'ioredis';

/** The number of requests for a key in the current window, including this one, and the time until the window ends. */
export type RequestCount = { requests: number; endsInMs: number };

/** Counts a request for a key. A window starts with the first request. */
export type CountRequest = (key: string) => Promise<RequestCount>;

const script = `local requests = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {requests, left}`;

/** Counts a request in Redis, atomically, together with those of all other processes. */
export async function countInRedis(client: Redis | Cluster, key: string, windowMs: number): Promise<RequestCount> {
  const reply: unknown = await client.eval(script, 1, key, windowMs);
  if (!Array.isArray(reply)) throw new Error('The request counter script returned something other than a list');
  const [requests, endsInMs] = reply.map(Number);
  return { requests: requests ?? 0, endsInMs: endsInMs ?? windowMs };
}
