import type { Cluster, Redis } from 'ioredis';
import { minPriorityScore } from './redis-fair-queue.js';
import { adoptInLua } from './reserved-keys.js';
import { rewriteScripts } from './scripts.js';

/** What a job's data may have in bytes. More is kept as rejected, with its beginning. */
export const maxDataBytes = 16 * 1024 * 1024;
/** The field of a job that says how many bytes its data had before it was cut. */
export const cutField = 'ringback:bytes';

/**
 * Lua: takes the next job from an ingress queue, whatever its producer wrote. First comes what has a place, and then the
 * oldest of what has none. Priorities are ignored: jobs that have one wait like any other.
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
  local placed = redis.call('ZPOPMIN', prioritizedKey)[1]
  if not placed then return redis.call('RPOPLPUSH', waitKey, activeKey) end
  redis.call('LPUSH', activeKey, placed)
  return placed
end
local function takeNext(waitKey, activeKey, prioritizedKey, prefix)
  for _ = 1, 100 do
    local id = popNext(waitKey, activeKey, prioritizedKey)
    if not id then return id end
    local kind = typeOf(prefix .. id)
    local isMarker = kind == 'none' and string.sub(id, 1, 2) == '0:'
    local isUsual = not reserved[id] and string.sub(id, 1, 2) ~= '0:' and not string.find(id, '[\\128-\\255%c]')
    if isUsual and (kind == 'hash' or kind == 'none') then
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
    -- Where there is no job, there is nothing to keep: a marker of an old BullMQ, or a key of something else.
  end
  return false
end`;

const takesOldest = 'local jobId = rcall("RPOPLPUSH", waitKey, activeKey)';
const readsPriority = 'rcall("HGET", jobKey, "priority")';
const setsDelay = 'rcall("HSET", jobKey, "delay", 0)';
// It would forget a job that was stored there.
const forgetsPriorities = 'rcall("DEL", priorityCounterKey)';

/** On this client BullMQ takes jobs as `takeNextInLua` says, and a delayed id that is no job stops nothing. */
export function takeAsPushed(client: Redis | Cluster): void {
  rewriteScripts(client, (lua) => {
    if (!lua.includes('"RPOPLPUSH"')) return lua;
    if (![takesOldest, readsPriority, setsDelay, forgetsPriorities].every((part) => lua.includes(part)))
      return undefined;
    const isFetch = lua.includes('local function fetchNextJob');
    const [placed, prefix] = isFetch ? ['prioritizedKey', 'prefix'] : ['KEYS[3]', 'ARGV[1]'];
    const taken = lua
      .replace(takesOldest, `local jobId = takeNext(waitKey, activeKey, ${placed}, ${prefix})`)
      .replace(readsPriority, readsPriority.replace('rcall', 'redis.pcall'))
      .replace(setsDelay, setsDelay.replace('rcall', 'redis.pcall'))
      .replace(forgetsPriorities, `if typeOf(priorityCounterKey) == 'string' then ${forgetsPriorities} end`);
    return `${takeNextInLua}\n${taken}`;
  });
}

const dropsMarkers = 'if marker and string.sub(marker, 1, 2) == "0:" then';
const namesPrefix = 'local prefix = KEYS[1]';

/** On this client BullMQ counts and lists jobs whose ids begin with `0:` like others: it would take them for markers and drop them. */
export function listAsPushed(client: Redis | Cluster): void {
  rewriteScripts(client, (lua) =>
    lua.includes(namesPrefix)
      ? lua.replaceAll(dropsMarkers, dropsMarkers.replace(' then', ' and rcall("EXISTS", prefix .. marker) == 0 then'))
      : lua,
  );
}
