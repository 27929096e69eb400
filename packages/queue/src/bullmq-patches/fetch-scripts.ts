import type { Cluster, Redis } from 'ioredis';
import { minPriorityScore, moveJobFunctions } from './bullmq-keys.js';
import { nothingLeft } from './reply-tracker.js';
import { rewriteScripts } from './rewrite-scripts.js';

/**
 * The maximum size, in bytes, of a job's data in Redis and of a broker's message. Larger data becomes a rejected event
 * that keeps its first 1,000 bytes.
 */
export const maxDataBytes = 16 * 1024 * 1024;

/** The field of a job that holds the original size of its data in bytes, set when the data was truncated. */
export const originalSizeField = 'ringback:bytes';

/**
 * Lua: `takeNext` moves the next job of an event queue to the active list and returns its id, even if its fields are
 * invalid. A job whose id BullMQ cannot handle gets a new id. Jobs with a position (event-queue/fair-queue.ts) come
 * first, then the jobs of the list `wait` in its order. Each call puts up to ten jobs with a producer's priority at the
 * end of `wait`. `sanitizeFields` removes counters and parents that BullMQ cannot read. If the job takes more memory
 * than `maxDataBytes`, it also truncates data over `maxDataBytes` and removes other fields over 64 KiB. `reserved`,
 * `typeOf` and `moveToNewId` come from `moveJobFunctions`.
 */
const takeNextFunctions = `${moveJobFunctions}
local function sanitizeFields(key)
  local counters = redis.call('HMGET', key, 'ats', 'stc', 'atm')
  for index, field in ipairs({ 'ats', 'stc', 'atm' }) do
    local value = counters[index]
    if value and not string.match(value, '^%d%d?%d?%d?%d?%d?$') then redis.call('HDEL', key, field) end
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
      local start = string.sub(redis.call('HGET', key, 'data'), 1, 1000)
      redis.call('HSET', key, 'data', start, '${originalSizeField}', size)
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
    local keyType = typeOf(prefix .. id)
    local isSafe = not reserved[id] and string.sub(id, 1, 2) ~= '0:' and not string.find(id, '[\\128-\\255%c]')
    if isSafe and (keyType == 'hash' or keyType == 'none') then
      if keyType == 'hash' then sanitizeFields(prefix .. id) end
      return id
    end
    redis.call('LREM', activeKey, 1, id)
    local newId = moveToNewId(prefix, id)
    if newId then
      redis.call('LPUSH', activeKey, newId)
      sanitizeFields(prefix .. newId)
      return newId
    end
    -- There is no job: the id is a marker of an old BullMQ version, or the name of some other key.
  end
  return false
end`;

// Lines of BullMQ's scripts that are replaced.
const takeOldest = 'local jobId = rcall("RPOPLPUSH", waitKey, activeKey)';
const readPriority = 'rcall("HGET", jobKey, "priority")';
const setDelay = 'rcall("HSET", jobKey, "delay", 0)';
// This line would also delete a job that was stored in the key `pc`.
const deletePriorityCounter = 'rcall("DEL", priorityCounterKey)';
// BullMQ sets its marker whenever a job is fetched. For each job, this causes two more fetches, which find nothing.
const setMarker = 'addBaseMarkerIfNeeded(markerKey, false)\n';
const returnJob = 'return {rcall("HGETALL", jobKey), jobId, 0, 0}';
const isLastJobFunctions = `local function isEmpty(command, key)
  -- A job may have overwritten the key, so the command may fail.
  return redis.pcall(command, key) == 0
end
local function isLastJob(prefix)
  local isNoneWaiting = isEmpty('LLEN', prefix .. 'wait') and isEmpty('ZCARD', prefix .. 'prioritized')
  return isNoneWaiting and isEmpty('ZCARD', prefix .. 'delayed')
end`;
const setMarkerUnlessLast = `local isLast = isLastJob(keyPrefix)
  if not isLast then addBaseMarkerIfNeeded(markerKey, false) end
`;
const returnJobAndIsLast = `return {rcall("HGETALL", jobKey), jobId, 0, isLast and ${nothingLeft} or 0}`;
const replacedLines = [takeOldest, readPriority, setDelay, deletePriorityCounter, setMarker, returnJob];

/**
 * Makes BullMQ's scripts on this client fetch jobs with `takeNext`, tolerate delayed ids whose key is not a job, and
 * reply with `nothingLeft` if they fetched a job and none is left, waiting or delayed.
 */
export function rewriteFetchScripts(client: Redis | Cluster): void {
  rewriteScripts(client, (lua) => {
    if (!lua.includes('"RPOPLPUSH"')) return lua;
    if (!replacedLines.every((line) => lua.includes(line))) return undefined;
    const isFetch = lua.includes('local function fetchNextJob');
    const [prioritized, prefix] = isFetch ? ['prioritizedKey', 'prefix'] : ['KEYS[3]', 'ARGV[1]'];
    const rewritten = lua
      .replace(takeOldest, `local jobId = takeNext(waitKey, activeKey, ${prioritized}, ${prefix})`)
      .replace(readPriority, readPriority.replace('rcall', 'redis.pcall'))
      .replace(setMarker, setMarkerUnlessLast)
      .replace(returnJob, returnJobAndIsLast)
      .replace(setDelay, setDelay.replace('rcall', 'redis.pcall'))
      .replace(deletePriorityCounter, `if typeOf(priorityCounterKey) == 'string' then ${deletePriorityCounter} end`);
    return `${takeNextFunctions}\n${isLastJobFunctions}\n${rewritten}`;
  });
}

const markerCondition = 'if marker and string.sub(marker, 1, 2) == "0:" then';
const definePrefix = 'local prefix = KEYS[1]';

/**
 * Makes BullMQ's scripts on this client count and list jobs whose ids start with `0:`. BullMQ mistakes such ids for
 * markers and deletes them.
 */
export function rewriteListScripts(client: Redis | Cluster): void {
  rewriteScripts(client, (lua) =>
    lua.includes(definePrefix)
      ? lua.replaceAll(
          markerCondition,
          markerCondition.replace(' then', ' and rcall("EXISTS", prefix .. marker) == 0 then'),
        )
      : lua,
  );
}
