/** BullMQ's own keys of a queue, and their types. A job whose id is one of these names overwrites the key. */
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

const typesInLua = Object.entries(reservedKeys)
  .map(([name, type]) => `['${name}'] = '${type}'`)
  .join(', ');

/**
 * Lua: `reserved` is the type of each of BullMQ's own keys. `adopt` gives the job that was stored in the key of `id` an
 * new id, which frees that key, and returns it; nil when there is no job. The settings in `meta` stay.
 */
export const adoptInLua = `
local reserved = { ${typesInLua} }
local function typeOf(key) return redis.call('TYPE', key).ok end
local function adopt(prefix, id)
  local key = prefix .. id
  if typeOf(key) ~= 'hash' then return nil end
  local time = redis.call('TIME')
  local own = 'adopted-' .. redis.sha1hex(id .. ' ' .. time[1] .. ' ' .. time[2])
  if id ~= 'meta' then
    redis.call('RENAME', key, prefix .. own)
    return own
  end
  local fields = { 'name', 'data', 'opts', 'timestamp', 'delay', 'priority', 'processedOn', 'pb', 'ats', 'stc', 'atm' }
  local isJob = redis.call('HEXISTS', key, 'data') == 1 or redis.call('HEXISTS', key, 'name') == 1
  if not isJob then return nil end
  for _, field in ipairs(fields) do
    local value = redis.call('HGET', key, field)
    if value then redis.call('HSET', prefix .. own, field, value) end
  end
  redis.call('HDEL', key, unpack(fields))
  return own
end`;

/**
 * Lua: frees each of BullMQ's keys that has another type than its own, atomically, so it is safe beside other workers. A job
 * that was stored there waits under a new id; any other value is moved to `…:set-aside:…`. All keys start with ARGV[1].
 * Returns the names of the freed keys.
 */
export const repairInLua = `${adoptInLua}
local prefix = ARGV[1]
local freed, jobs = {}, {}
for name, type in pairs(reserved) do
  local found = typeOf(prefix .. name)
  local job
  if found == 'hash' then job = adopt(prefix, name) end
  if job then
    table.insert(jobs, job)
    table.insert(freed, name)
  elseif found ~= 'none' and found ~= type then
    redis.call('RENAME', prefix .. name, prefix .. 'set-aside:' .. name .. ':' .. redis.call('TIME')[1])
    table.insert(freed, name)
  end
end
for name in pairs(reserved) do
  redis.call('ZREM', prefix .. 'delayed', name)
  redis.call('ZREM', prefix .. 'prioritized', name)
end
for _, name in ipairs(freed) do
  redis.call('LREM', prefix .. 'wait', 0, name)
  redis.call('LREM', prefix .. 'paused', 0, name)
  redis.call('LREM', prefix .. 'active', 0, name)
end
for _, job in ipairs(jobs) do
  redis.call('LPUSH', prefix .. 'wait', job)
  redis.call('ZADD', prefix .. 'marker', 0, '0')
end
return freed`;

/** Lua: removes a job that BullMQ cannot finish. KEYS: the active list, the job; ARGV[1]: its id. */
export const forgetInLua = `redis.call('LREM', KEYS[1], 0, ARGV[1])
redis.call('DEL', KEYS[2], KEYS[2] .. ':lock', KEYS[2] .. ':dependencies', KEYS[2] .. ':unsuccessful')
return 1`;
