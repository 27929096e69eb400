import type { Cluster, Redis } from 'ioredis';
import type { Line } from './line.js';

// BullMQ pushes at the left of `wait` and takes at its right; those with a place are in `prioritized`. Whose an event is
// is read from its text, since parsing a large payload would hold up everybody.
const look = `if redis.call('LLEN', KEYS[1]) < tonumber(ARGV[1]) and redis.call('EXISTS', KEYS[2]) == 0 then return {} end
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

const place = `local places = {}
for at = 1, #ARGV, 2 do places[ARGV[at]] = ARGV[at + 1] end
local count = 0
for _ = 2, #ARGV, 2 do
  local id = redis.call('LINDEX', KEYS[1], -1)
  if not id or not places[id] then return count end
  redis.call('RPOP', KEYS[1])
  redis.call('ZADD', KEYS[2], places[id], id)
  count = count + 1
end
return count`;

// BullMQ's own scores of jobs with a priority begin here: these come after those that were given a place.
export const ofPriority = 2 ** 32;

/** The line of a queue in Redis; `keys` is what the names of all its keys begin with. Touches BullMQ's keys by name. */
export function openRedisLine(client: Redis | Cluster, keys: string): Line {
  const lists = [`${keys}:wait`, `${keys}:prioritized`] as const;
  return {
    async look({ least, most }) {
      const answer: unknown = await client.eval(look, 2, ...lists, least, most, `${keys}:`);
      if (!Array.isArray(answer)) throw new Error('Redis answered with something else than a line');
      const [score, ...texts] = answer.map(String);
      const events = [];
      for (let at = 0; at + 2 < texts.length; at += 3) {
        const [id = '', accountId = '', webhookId = ''] = texts.slice(at, at + 3);
        events.push({ id, accountId, webhookId });
      }
      const first = Number(score || ofPriority);
      return { events, first: first < ofPriority ? first : null };
    },
    async place(places) {
      return Number(await client.eval(place, 2, ...lists, ...[...places].flat()));
    },
  };
}
