-- prelude.lua  the state of one lock, read and written; Scripts puts this in front of every verb. Java twin: LockState
-- KEYS[1]      lock: one string, see docs/stored-formats.md
-- KEYS[2]      queue: waiting clients, scored by arrival; touched only when somebody waits
-- KEYS[3]      tickets: client -> "attempt ttl block deadAt"; touched only when somebody waits
-- KEYS[4]      over: client -> "attempt at", ended attempts of clients other than the last; touched only when there are such
-- time         the server's TIME, read once; microseconds below 2^53, formatted with %.0f and never concatenated
-- cost         one GET and at most one SET while nobody waits
local HEARTBEAT, CLAIM, RETENTION, MAX_LEAD = 1500000, 1000000, 60000000, 100000
local MAX_TOKEN = 9007199254740991

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

-- Java: ForeignDataException. Raised before anything is written
local function foreign(index, what)
  error('SLUICE<foreign ' .. index .. ' ' .. what .. '>', 0)
end

local function checked(index, reply)
  if type(reply) == 'table' and reply.err then
    if string.find(reply.err, 'WRONGTYPE', 1, true) then
      foreign(index, redis.call('TYPE', KEYS[index]).ok)
    end
    error(reply.err, 0)
  end
  return reply
end

local function text(value)
  return "text '" .. string.gsub(string.sub(value, 1, 40), '[%c<>\128-\255]', '?') .. "'"
end

local fence, queued, spill, over_client, over_attempt, over_at, holder = 0, false, 0, '-', 0, 0, nil
local found = checked(1, redis.pcall('GET', KEYS[1]))
if found then
  local f, q, s, c, a, at, rest = string.match(found, '^1 (%d+) ([01]) (%d+) (%S+) (%d+) (%d+)(.*)$')
  fence = tonumber(f)
  if not fence or fence > MAX_TOKEN then
    foreign(1, text(found))
  end
  queued, spill, over_client, over_attempt, over_at = q == '1', tonumber(s), c, tonumber(a), tonumber(at)
  if rest ~= '' then
    local client, attempt, token, block, expires, ttl, since, state =
      string.match(rest, '^ (%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) ([HPW])$')
    if not client then
      foreign(1, text(found))
    end
    holder = {
      client = client, attempt = tonumber(attempt), token = tonumber(token), block = tonumber(block),
      expires = tonumber(expires), ttl = tonumber(ttl), since = tonumber(since), state = state
    }
  end
end

local function save()
  local value = string.format('1 %.0f %d %d %s %.0f %.0f',
    fence, queued and 1 or 0, spill, over_client, over_attempt, over_at)
  if holder then
    value = value .. string.format(' %s %.0f %.0f %d %.0f %.0f %.0f %s', holder.client, holder.attempt, holder.token,
      holder.block, holder.expires, holder.ttl, holder.since, holder.state)
  end
  if value ~= found then
    local rest = math.max(0, fence - now, holder and holder.expires - now or 0)
    redis.call('SET', KEYS[1], value, 'PX', string.format('%.0f', math.ceil((rest + RETENTION) / 1000)))
  end
end

local function post(client, what)
  redis.call('PUBLISH', 'sl:inbox:' .. client, what .. ' ' .. string.sub(KEYS[1], 5, -7))
end

-- Java: clampToClock
local function clamp()
  if holder then
    holder.expires = math.min(holder.expires, now + (holder.state == 'P' and CLAIM or holder.ttl))
  end
end

-- Java: expire
local function expire()
  if holder and holder.expires <= now then
    holder = nil
  end
end

-- Java: over.get, with what is forgotten left out
local function last_over(client)
  local attempt, at
  if client == over_client then
    attempt, at = over_attempt, over_at
  elseif spill > 0 then
    local entry = checked(4, redis.pcall('HGET', KEYS[4], client))
    if entry then
      attempt, at = string.match(entry, '^(%d+) (%d+)$')
      attempt, at = tonumber(attempt), tonumber(at)
      if not attempt then
        foreign(4, text(entry))
      end
    end
  end
  return attempt and now - at < RETENTION and attempt or nil
end

-- keeps `over` within twice what is needed, at a constant cost per write
local function prune()
  local entries = redis.call('HGETALL', KEYS[4])
  local kept = 0
  for i = 1, #entries, 2 do
    local at = tonumber(string.match(entries[i + 1], ' (%d+)$'))
    if at and now - at < 2 * RETENTION then
      kept = kept + 1
    else
      redis.call('HDEL', KEYS[4], entries[i])
    end
  end
  spill = math.max(64, 2 * kept)
end

-- Java: remember
local function remember(client, attempt)
  attempt = math.max(last_over(client) or 0, attempt)
  if over_client ~= client and over_client ~= '-' and now - over_at < 2 * RETENTION then
    local size = checked(4, redis.pcall('HLEN', KEYS[4]))
    redis.call('HSET', KEYS[4], over_client, string.format('%.0f %.0f', over_attempt, over_at))
    redis.call('PEXPIRE', KEYS[4], 2 * RETENTION / 1000)
    if spill == 0 or size >= spill then
      prune()
    end
  end
  over_client, over_attempt, over_at = client, attempt, now
end

-- how many wait; proves that queue and tickets are ours before the first write
local size
local function count()
  if not size then
    size = checked(2, redis.pcall('ZCARD', KEYS[2]))
    checked(3, redis.pcall('HLEN', KEYS[3]))
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
    foreign(3, text(entry))
  end
  return { attempt = tonumber(attempt), ttl = tonumber(ttl), block = tonumber(block), dead = tonumber(dead) }
end

local function drop(client)
  size = size - redis.call('ZREM', KEYS[2], client)
  redis.call('HDEL', KEYS[3], client)
  queued = size > 0
end

-- Java: dropDead and head; `alive` is asking, so it lives
local function first_live(alive)
  while waiting() > 0 do
    local first = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
    local mine = ticket(first)
    if first == alive or (mine and mine.dead > now and mine.dead <= now + HEARTBEAT) then
      return first, mine
    end
    drop(first)
  end
end

-- Java: grant; nil when no token is left
local function grant(client, attempt, ttl, block)
  local token = math.max(fence + 1, now)
  if token > MAX_TOKEN then
    return nil
  end
  local room = math.min(MAX_LEAD - (token - now), MAX_TOKEN - token + 1)
  local given = math.max(1, math.min(block, room))
  fence = token + given - 1
  return {
    client = client, attempt = attempt, token = token, block = given,
    expires = now + ttl, ttl = ttl, since = now, state = 'H'
  }
end

-- Java: handOver
local function hand_over()
  local first, mine = first_live(nil)
  if first and fence < MAX_TOKEN then
    drop(first)
    holder = grant(first, mine.attempt, mine.ttl, mine.block)
    holder.state = 'P'
    holder.expires = now + CLAIM
    post(first, 'granted')
  end
end

