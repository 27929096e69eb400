import type { Cluster, Redis } from 'ioredis';
import { minPriorityScore } from '../bullmq-patches/bullmq-keys.js';
import type { FairQueue } from '../event-queue/fair-queue.js';

// BullMQ pushes to the left end of the list `wait` and fetches from its right end. A job with a position is in the
// sorted set `prioritized` instead, where the position is its score.

// KEYS: wait, prioritized. ARGV: min, max, the prefix of job keys. Returns an empty list if fewer than `min` jobs wait
// and none is prioritized. Otherwise returns the lowest score, or an empty text if there is none, then three texts for
// each job: its id and the ids of its account and webhook. The last two are matched in the text of the data, because
// parsing would block Redis for longer. Data of 64 KiB or more is not searched, for the same reason: its job counts as
// one without an account.
const peekScript = `local isShort = redis.call('LLEN', KEYS[1]) < tonumber(ARGV[1])
if isShort and redis.call('EXISTS', KEYS[2]) == 0 then return {} end
local ids = redis.call('LRANGE', KEYS[1], -tonumber(ARGV[2]), -1)
local reply = {redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2] or ''}
for index = #ids, 1, -1 do
  local key = ARGV[3] .. ids[index]
  -- A producer can choose a job id that equals one of BullMQ's own keys, whose value is not a hash.
  local size = redis.pcall('HSTRLEN', key, 'data')
  local data = type(size) == 'number' and size < 65536 and redis.call('HGET', key, 'data') or ''
  table.insert(reply, ids[index])
  table.insert(reply, string.match(data, '"account_id"%s*:%s*"([^"]*)"') or '')
  table.insert(reply, string.match(data, '"webhook_id"%s*:%s*"([^"]*)"') or '')
end
return reply`;

// KEYS: wait, prioritized. ARGV: alternating ids and positions. Moves jobs from the right end of `wait`, up to the
// first one that has no position in ARGV. Returns the number of jobs that it moved.
const reorderScript = `local positions = {}
for index = 1, #ARGV, 2 do positions[ARGV[index]] = ARGV[index + 1] end
local count = 0
for _ = 2, #ARGV, 2 do
  local id = redis.call('LINDEX', KEYS[1], -1)
  if not id or not positions[id] then return count end
  redis.call('RPOP', KEYS[1])
  redis.call('ZADD', KEYS[2], positions[id], id)
  count = count + 1
end
return count`;

/** Creates the fair queue of an event queue in Redis, whose keys all start with `keyPrefix`. */
export function createRedisFairQueue(client: Redis | Cluster, keyPrefix: string): FairQueue {
  const keys = [`${keyPrefix}wait`, `${keyPrefix}prioritized`] as const;
  return {
    async peek({ min, max }) {
      const reply: unknown = await client.eval(peekScript, 2, ...keys, min, max, keyPrefix);
      if (!Array.isArray(reply)) throw new Error('The peek script returned something other than a list');
      const [lowestScore, ...texts] = reply.map(String);
      const jobs = [];
      for (let start = 0; start + 2 < texts.length; start += 3) {
        const [id = '', accountId = '', webhookId = ''] = texts.slice(start, start + 3);
        jobs.push({ id, accountId, webhookId });
      }
      const score = Number(lowestScore || minPriorityScore);
      // A job with this score or a higher one has no position but a priority, which a producer gave it.
      return { jobs, lowestPosition: score < minPriorityScore ? score : null };
    },
    async reorder(positions) {
      return Number(await client.eval(reorderScript, 2, ...keys, ...[...positions].flat()));
    },
  };
}
