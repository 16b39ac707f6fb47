-- queue.lua    those who wait; a verb includes this after it has dealt with a name that nobody waits for. Java twin: GrantQueue
-- KEYS[1..4]   see state.lua
-- order        by score: when a ticket arrived; less FIRST_BAND for one that goes first, so that it comes before all others
-- removals     are written by `save`, behind all other writes: while its slot moves, a removed key cannot come back. So a
--              verb reads all that it needs, and foreign tickets are raised, before the first write
-- needs: CLAIM, HEARTBEAT, IS_LOCK, MAX_TOKEN, fence, foreign, free, grant, now, queued
-- include lib/post.lua
local FIRST_BAND = MAX_TOKEN + 1
local QUEUE_MILLIS = 2 * HEARTBEAT / 1000
local MESSAGE = IS_LOCK and '' or 'permit-'

-- tickets in the store, and those of them that are to be removed
local size
local removed, removals = {}, 0

-- how many wait; proves that queue and tickets are ours before the first write
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
  return size - removals
end

local function waiting()
  return queued and count() or 0
end

local function ticket(client)
  if waiting() == 0 or removed[client] then
    return nil
  end
  local entry = redis.call('HGET', KEYS[3], client)
  if not entry then
    return nil
  end
  local attempt, ttl, block, least, most, dead = string.match(entry, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+)$')
  if not attempt then
    foreign(3, entry)
  end
  return {
    client = client, attempt = tonumber(attempt), ttl = tonumber(ttl), block = tonumber(block),
    least = tonumber(least), most = tonumber(most), dead = tonumber(dead)
  }
end

local function is_live(ticket)
  return ticket.dead and ticket.dead > now and ticket.dead <= now + HEARTBEAT
end

-- the ticket that comes before all others; a client without an entry counts as dead
local place, first = 0, nil
local function head()
  while not first and waiting() > 0 and place < size do
    local client, score = unpack(redis.call('ZRANGE', KEYS[2], place, place, 'WITHSCORES'))
    if removed[client] then
      place = place + 1
    else
      first = ticket(client) or { client = client }
      first.goes_first = tonumber(score) < 0
    end
  end
  return first
end

local function drop(client)
  removed[client], removals = true, removals + 1
  queued = size > removals
  if first and first.client == client then
    first = nil
  end
end

-- Java: dropDead; the head that is left. `alive` is asking, so it lives
local function live_head(alive)
  local ticket = head()
  while ticket and ticket.client ~= alive and not is_live(ticket) do
    drop(ticket.client)
    ticket = head()
  end
  return ticket
end

-- Java: handOver
local function hand_over(alive)
  local next = live_head(alive)
  while next and next.client ~= alive and free() >= next.least and fence < MAX_TOKEN do
    drop(next.client)
    local given = grant(next.client, next.attempt, next.ttl, next.block, next.least, next.most, waiting())
    given.state = 'P'
    given.expires = now + CLAIM
    post(next.client, MESSAGE .. 'granted')
    if IS_LOCK then
      return
    end
    next = live_head(alive)
  end
end

-- a first write that needs no memory, as a removal would be one: what follows it passes at full memory
local function begin_removals()
  if removals > 0 then
    redis.call('PEXPIRE', KEYS[2], QUEUE_MILLIS)
  end
end

local function bury()
  for client in pairs(removed) do
    redis.call('HDEL', KEYS[3], client)
    redis.call('ZREM', KEYS[2], client)
  end
  size = size and size - removals
  removed, removals = {}, 0
end

-- Java: put, positionOf; keeps the place of a client that has one
local function enqueue(client, goes_first, entry)
  count()
  local rank = size > 0 and redis.call('ZRANK', KEYS[2], client)
  begin_removals()
  if removed[client] then
    removed[client], removals, size, rank = nil, removals - 1, size - 1, nil
  end
  if not rank then
    local last
    if goes_first then
      last = redis.call('ZRANGE', KEYS[2], '(0', '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, 1, 'WITHSCORES')[2]
    else
      last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')[2]
    end
    local arrival = goes_first and now - FIRST_BAND or now
    redis.call('ZADD', KEYS[2], string.format('%.0f', math.max(arrival, last and last + 1 or arrival)), client)
    size = size + 1
  end
  redis.call('HSET', KEYS[3], client, entry)
  bury()
  redis.call('PEXPIRE', KEYS[2], QUEUE_MILLIS)
  redis.call('PEXPIRE', KEYS[3], QUEUE_MILLIS)
  queued = true
  return redis.call('ZRANK', KEYS[2], client)
end

local function save()
  begin_removals()
-- include lock/save.lua
  bury()
end
