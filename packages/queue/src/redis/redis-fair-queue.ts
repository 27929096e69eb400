import type { Cluster, Redis } from 'ioredis';
import type { FairQueue } from '../ingress/fair-queue.js';

// KEYS: wait, prioritized. ARGV: min, max, the prefix of job keys. BullMQ pushes to the left end of `wait` and fetches
// from the right; jobs with a position are in `prioritized`. The account's and webhook's ids are matched in the text of
// the data, because parsing a large payload would block Redis. The reply has the lowest score, then three texts for each
// job.
const peekScript = `if redis.call('LLEN', KEYS[1]) < tonumber(ARGV[1]) and redis.call('EXISTS', KEYS[2]) == 0 then return {} end
local ids = redis.call('LRANGE', KEYS[1], -tonumber(ARGV[2]), -1)
local found = {redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2] or ''}
for at = #ids, 1, -1 do
  local key = ARGV[3] .. ids[at]
  -- An id may name a key of another type.
  local size = redis.pcall('HSTRLEN', key, 'data')
  local data = type(size) == 'number' and size < 65536 and redis.call('HGET', key, 'data') or ''
  table.insert(found, ids[at])
  table.insert(found, string.match(data, '"account_id"%s*:%s*"([^"]*)"') or '')
  table.insert(found, string.match(data, '"webhook_id"%s*:%s*"([^"]*)"') or '')
end
return found`;

// KEYS: wait, prioritized. ARGV: alternating ids and positions, oldest job first. Stops at the first job without a
// position.
const reorderScript = `local positions = {}
for at = 1, #ARGV, 2 do positions[ARGV[at]] = ARGV[at + 1] end
local count = 0
for _ = 2, #ARGV, 2 do
  local id = redis.call('LINDEX', KEYS[1], -1)
  if not id or not positions[id] then return count end
  redis.call('RPOP', KEYS[1])
  redis.call('ZADD', KEYS[2], positions[id], id)
  count = count + 1
end
return count`;

/** The lowest score that BullMQ gives to a job with a priority. Such jobs come after jobs with a position. */
export const minPriorityScore = 2 ** 32;

/** Reorders a queue in Redis by changing BullMQ's keys, all of which start with `keyPrefix`. */
export function createRedisFairQueue(client: Redis | Cluster, keyPrefix: string): FairQueue {
  const lists = [`${keyPrefix}:wait`, `${keyPrefix}:prioritized`] as const;
  return {
    async peek({ min, max }) {
      const reply: unknown = await client.eval(peekScript, 2, ...lists, min, max, `${keyPrefix}:`);
      if (!Array.isArray(reply)) throw new Error('Redis replied to the script that reads waiting jobs without a list');
      const [score, ...texts] = reply.map(String);
      const events = [];
      for (let at = 0; at + 2 < texts.length; at += 3) {
        const [id = '', accountId = '', webhookId = ''] = texts.slice(at, at + 3);
        events.push({ id, accountId, webhookId });
      }
      const lowest = Number(score || minPriorityScore);
      return { events, lowest: lowest < minPriorityScore ? lowest : null };
    },
    async reorder(positions) {
      return Number(await client.eval(reorderScript, 2, ...lists, ...[...positions].flat()));
    },
  };
}
