/**
 * The keys that BullMQ itself uses for a queue, with their types. A job whose id is one of these names is stored in
 * that key if the key does not exist or is a hash. The key is then _overwritten_: BullMQ's commands may fail with
 * `WRONGTYPE`.
 */
export const reservedKeys = {
  wait: 'list',
  paused: 'list',
  active: 'list',
  delayed: 'zset',
  prioritized: 'zset',
  'waiting-children': 'zset',
  completed: 'zset',
  failed: 'zset',
  stalled: 'set',
  'stalled-check': 'string',
  limiter: 'string',
  id: 'string',
  pc: 'string',
  marker: 'zset',
  events: 'stream',
  repeat: 'zset',
  meta: 'hash',
} as const;

/** The lowest score that BullMQ gives to a job with a priority in `prioritized`. Positions are scores below it. */
export const minPriorityScore = 2 ** 32;

const typesInLua = Object.entries(reservedKeys)
  .map(([name, type]) => `['${name}'] = '${type}'`)
  .join(', ');

/**
 * Lua functions for other scripts. `reserved` maps each of BullMQ's own keys to its type. `moveToNewId` moves the job
 * that is stored under `id` to a new id and returns the new id, or nil if no job is stored there. Any hash counts as a
 * job, but the hash `meta` only if it has fields of a job: then these fields are moved.
 */
export const moveJobFunctions = `
local reserved = { ${typesInLua} }
local function typeOf(key) return redis.call('TYPE', key).ok end
local function moveToNewId(prefix, id)
  local key = prefix .. id
  if typeOf(key) ~= 'hash' then return nil end
  local time = redis.call('TIME')
  local newId = 'adopted-' .. redis.sha1hex(id .. ' ' .. time[1] .. ' ' .. time[2])
  if id ~= 'meta' then
    redis.call('RENAME', key, prefix .. newId)
    return newId
  end
  -- pb: processedBy, ats: attemptsStarted, stc: stalledCounter, atm: attemptsMade.
  local fields = { 'name', 'data', 'opts', 'timestamp', 'delay', 'priority', 'processedOn', 'pb', 'ats', 'stc', 'atm' }
  local isJob = redis.call('HEXISTS', key, 'data') == 1 or redis.call('HEXISTS', key, 'name') == 1
  if not isJob then return nil end
  for _, field in ipairs(fields) do
    local value = redis.call('HGET', key, field)
    if value then redis.call('HSET', prefix .. newId, field, value) end
  end
  redis.call('HDEL', key, unpack(fields))
  return newId
end`;

/**
 * Lua: restores BullMQ's own keys that were overwritten. A job stored in such a key waits under a new id. Any other
 * value of the wrong type is moved to `…:set-aside:…`. Redis runs the script atomically, so several workers may run it.
 * ARGV[1] is the prefix of all keys. Returns the names of the restored keys.
 */
export const restoreKeysScript = `${moveJobFunctions}
local prefix = ARGV[1]
local restored, newIds = {}, {}
for name, type in pairs(reserved) do
  local foundType = typeOf(prefix .. name)
  local newId
  if foundType == 'hash' then newId = moveToNewId(prefix, name) end
  if newId then
    table.insert(newIds, newId)
    table.insert(restored, name)
  elseif foundType ~= 'none' and foundType ~= type then
    redis.call('RENAME', prefix .. name, prefix .. 'set-aside:' .. name .. ':' .. redis.call('TIME')[1])
    table.insert(restored, name)
  end
end
for name in pairs(reserved) do
  redis.call('ZREM', prefix .. 'delayed', name)
  redis.call('ZREM', prefix .. 'prioritized', name)
end
for _, name in ipairs(restored) do
  redis.call('LREM', prefix .. 'wait', 0, name)
  redis.call('LREM', prefix .. 'paused', 0, name)
  redis.call('LREM', prefix .. 'active', 0, name)
end
for _, newId in ipairs(newIds) do
  redis.call('LPUSH', prefix .. 'wait', newId)
  redis.call('ZADD', prefix .. 'marker', 0, '0')
end
return restored`;

/** Lua: removes a job that BullMQ cannot finish. KEYS[1] is the active list, KEYS[2] the job, ARGV[1] the job's id. */
export const removeJobScript = `redis.call('LREM', KEYS[1], 0, ARGV[1])
redis.call('DEL', KEYS[2], KEYS[2] .. ':lock', KEYS[2] .. ':dependencies', KEYS[2] .. ':unsuccessful')
return 1`;
