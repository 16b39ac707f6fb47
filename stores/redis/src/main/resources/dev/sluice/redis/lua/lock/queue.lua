-- queue.lua    those who wait; a verb includes this after it has dealt with a lock that nobody waits for. Java twin: GrantState
-- KEYS[1..4]   see state.lua
-- needs: CLAIM, fence, foreign, grant, HEARTBEAT, holder, MAX_TOKEN, now, queued, save
-- include lib/post.lua

-- how many wait; proves that queue and tickets are ours before the first write
local size
local function count()
  if not size then
    size = redis.pcall('ZCARD', KEYS[2])
    if type(size) == 'table' then
      foreign(2, size)
    end
    local tickets = redis.pcall('HLEN', KEYS[3])
    if type(tickets) == 'table' then
      foreign(3, tickets)
    end
    queued = size > 0
  end
  return size
end

local function waiting()
  return queued and count() or 0
end

local function ticket(client)
  if waiting() == 0 then
    return nil
  end
  local entry = redis.call('HGET', KEYS[3], client)
  if not entry then
    return nil
  end
  local attempt, ttl, block, dead = string.match(entry, '^(%d+) (%d+) (%d+) (%d+)$')
  if not attempt then
    foreign(3, entry)
  end
  return { attempt = tonumber(attempt), ttl = tonumber(ttl), block = tonumber(block), dead = tonumber(dead) }
end

-- the last one is removed behind all writes: while its slot moves, a removed key cannot come back
local leftover
local function remove(client)
  redis.call('HDEL', KEYS[3], client)
  return redis.call('ZREM', KEYS[2], client)
end

local function drop(client)
  if size == 1 and redis.call('ZRANK', KEYS[2], client) then
    redis.call('PEXPIRE', KEYS[2], 2 * HEARTBEAT / 1000) -- writes, as a removal would: what follows passes at full memory
    leftover, size = client, 0
  else
    size = size - remove(client)
  end
  queued = size > 0
end

local save_lock = save
local function save()
  save_lock()
  if leftover then
    remove(leftover)
  end
end

-- who is first once `leaving` is gone, its ticket, and the dead before it; `alive` is asking, so it lives.
-- Reads only: whoever writes asks before the first write, so that foreign tickets are raised before it
local function survey(alive, leaving)
  local dead = {}
  for place = 0, waiting() - 1 do
    local client = redis.call('ZRANGE', KEYS[2], place, place)[1]
    if client ~= leaving then
      local mine = ticket(client)
      if client == alive or (mine and mine.dead > now and mine.dead <= now + HEARTBEAT) then
        return client, mine, dead
      end
      dead[#dead + 1] = client
    end
  end
  return nil, nil, dead
end

-- Java: dropDead
local function bury(dead)
  for _, client in ipairs(dead) do
    drop(client)
  end
end

-- Java: handOver, once the dead are buried
local function hand_over(first, mine)
  if first and fence < MAX_TOKEN then
    drop(first)
    holder = grant(first, mine.attempt, mine.ttl, mine.block)
    holder.state = 'P'
    holder.expires = now + CLAIM
    post(first, 'granted')
  end
end
