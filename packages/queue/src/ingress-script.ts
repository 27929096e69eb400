import type { Cluster, Redis } from 'ioredis';
import { minPriorityScore } from './redis-fair-queue.js';
import { adoptInLua } from './reserved-keys.js';
import { rewriteScripts } from './scripts.js';

/** Maximum bytes of a job's data. The start of longer data is kept as a rejected event. */
export const maxDataBytes = 16 * 1024 * 1024;
/** The field of a job that holds the size of its data before it was cut, in bytes. */
export const cutField = 'ringback:bytes';

/**
 * Lua: takes the next job from an ingress queue, also if its fields are invalid. Jobs with a position come first, then the
 * oldest job. Priorities of producers are ignored.
 */
const takeNextInLua = `${adoptInLua}
local function tidy(key)
  local counters = redis.call('HMGET', key, 'ats', 'stc', 'atm')
  for at, field in ipairs({ 'ats', 'stc', 'atm' }) do
    if counters[at] and not string.match(counters[at], '^%d%d?%d?%d?%d?%d?$') then redis.call('HDEL', key, field) end
  end
  local parent = redis.call('HGET', key, 'parent')
  if parent then
    local ok, read = pcall(cjson.decode, parent)
    if not (ok and type(read) == 'table' and type(read.id) == 'string' and type(read.queueKey) == 'string') then
      redis.call('HDEL', key, 'parent', 'parentKey')
    end
  end
  if redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 0) <= ${maxDataBytes} then return end
  for _, field in ipairs(redis.call('HKEYS', key)) do
    local size = redis.call('HSTRLEN', key, field)
    if field == 'data' and size > ${maxDataBytes} then
      redis.call('HSET', key, 'data', string.sub(redis.call('HGET', key, 'data'), 1, 1000), '${cutField}', size)
    elseif field ~= 'data' and size > 65536 then
      redis.call('HDEL', key, field)
    end
  end
end
local function popNext(waitKey, activeKey, prioritizedKey)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', prioritizedKey, ${minPriorityScore}, '+inf', 'LIMIT', 0, 10)) do
    redis.call('ZREM', prioritizedKey, id)
    redis.call('LPUSH', waitKey, id)
  end
  local first = redis.call('ZPOPMIN', prioritizedKey)[1]
  if not first then return redis.call('RPOPLPUSH', waitKey, activeKey) end
  redis.call('LPUSH', activeKey, first)
  return first
end
local function takeNext(waitKey, activeKey, prioritizedKey, prefix)
  for _ = 1, 100 do
    local id = popNext(waitKey, activeKey, prioritizedKey)
    if not id then return id end
    local kind = typeOf(prefix .. id)
    local isMarker = kind == 'none' and string.sub(id, 1, 2) == '0:'
    local isSafe = not reserved[id] and string.sub(id, 1, 2) ~= '0:' and not string.find(id, '[\\128-\\255%c]')
    if isSafe and (kind == 'hash' or kind == 'none') then
      if kind == 'hash' then tidy(prefix .. id) end
      return id
    end
    redis.call('LREM', activeKey, 1, id)
    local own = adopt(prefix, id)
    if own then
      redis.call('LPUSH', activeKey, own)
      tidy(prefix .. own)
      return own
    end
    -- There is no job: the id is a marker of an old BullMQ, or the name of another key.
  end
  return false
end`;

const takesOldest = 'local jobId = rcall("RPOPLPUSH", waitKey, activeKey)';
const readsPriority = 'rcall("HGET", jobKey, "priority")';
const setsDelay = 'rcall("HSET", jobKey, "delay", 0)';
// BullMQ would delete a job that was stored in this key.
const forgetsPriorities = 'rcall("DEL", priorityCounterKey)';

/** Makes BullMQ's scripts on this client take jobs with `takeNextInLua`, and ignore delayed ids without a job. */
export function rewriteTakeScripts(client: Redis | Cluster): void {
  rewriteScripts(client, (lua) => {
    if (!lua.includes('"RPOPLPUSH"')) return lua;
    if (![takesOldest, readsPriority, setsDelay, forgetsPriorities].every((part) => lua.includes(part)))
      return undefined;
    const isFetch = lua.includes('local function fetchNextJob');
    const [prioritized, prefix] = isFetch ? ['prioritizedKey', 'prefix'] : ['KEYS[3]', 'ARGV[1]'];
    const taken = lua
      .replace(takesOldest, `local jobId = takeNext(waitKey, activeKey, ${prioritized}, ${prefix})`)
      .replace(readsPriority, readsPriority.replace('rcall', 'redis.pcall'))
      .replace(setsDelay, setsDelay.replace('rcall', 'redis.pcall'))
      .replace(forgetsPriorities, `if typeOf(priorityCounterKey) == 'string' then ${forgetsPriorities} end`);
    return `${takeNextInLua}\n${taken}`;
  });
}

const dropsMarkers = 'if marker and string.sub(marker, 1, 2) == "0:" then';
const namesPrefix = 'local prefix = KEYS[1]';

/** Makes BullMQ's scripts on this client count and list jobs whose ids start with `0:`, which they would delete as markers. */
export function rewriteListScripts(client: Redis | Cluster): void {
  rewriteScripts(client, (lua) =>
    lua.includes(namesPrefix)
      ? lua.replaceAll(dropsMarkers, dropsMarkers.replace(' then', ' and rcall("EXISTS", prefix .. marker) == 0 then'))
      : lua,
  );
}
