-- Admits one job of a user to all pools, or to none. Other commands wait meanwhile.
-- KEYS: the ledgers, one for each pool. ARGV: the id of the job, then for each pool: the kind of the request, its cores, memory
-- and GPUs, the budget for each of them (negative: none), the most oversize jobs, 1 where an oversize job reserves the pool, the
-- number of finished jobs, and their ids.
local job = ARGV[1]
local at = 1
local function following()
  at = at + 1
  return ARGV[at]
end

local pools = {}
for number, key in ipairs(KEYS) do
  local pool = { key = key, kind = following() }
  pool.asked = { tonumber(following()), tonumber(following()), tonumber(following()) }
  pool.budget = { tonumber(following()), tonumber(following()), tonumber(following()) }
  pool.most_oversize = tonumber(following())
  pool.reserved = following() == '1'
  redis.call('HDEL', key, job)
  for _ = 1, tonumber(following()) do
    redis.call('HDEL', key, following())
  end
  -- A job may run longer than any time to live: a ledger with one, which older versions of TPV wrote, loses it.
  redis.call('PERSIST', key)
  pools[number] = pool
end

local function has_room(pool)
  local used, oversize = { 0, 0, 0 }, 0
  for _, entry in ipairs(redis.call('HVALS', pool.key)) do
    local cores, mem, gpus, kind = string.match(entry, '^([^|]*)|([^|]*)|([^|]*)|([^|]*)')
    if kind == 'oversize' then
      oversize = oversize + 1
    else
      used = { used[1] + tonumber(cores), used[2] + tonumber(mem), used[3] + tonumber(gpus) }
    end
  end
  if pool.kind == 'oversize' then
    local is_used = used[1] ~= 0 or used[2] ~= 0 or used[3] ~= 0
    return oversize < pool.most_oversize and not (pool.reserved and is_used)
  end
  if pool.reserved and oversize > 0 then
    return false
  end
  for resource = 1, 3 do
    local most = pool.budget[resource]
    if not (most < 0 or used[resource] + pool.asked[resource] <= most) then
      return false
    end
  end
  return true
end

for _, pool in ipairs(pools) do
  if not has_room(pool) then
    return 0
  end
end
for _, pool in ipairs(pools) do
  -- Lua writes the numbers, so that TPV and tpvc write the same.
  local asked = pool.asked
  redis.call('HSET', pool.key, job, asked[1] .. '|' .. asked[2] .. '|' .. asked[3] .. '|' .. pool.kind)
end
return 1
