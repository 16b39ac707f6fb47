-- latch.lua    the state of one latch, read and written; every verb of latches includes this first. Java twin: LatchState
-- KEYS[1]      hash: `-` has "count round opened keep expires setter number", each client "number at" of its last request
-- KEYS[2]      sorted set: waiting clients, scored by when they count as gone
-- time         the server's TIME, read once; microseconds below 2^53, formatted with %.0f, never concatenated
-- cost         a few commands; O(clients) when a count is set, O(waiting) when the latch opens
local WAITER, RETENTION = 3000000, 60000000

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

-- include lib/foreign.lua

local function text(number)
  return string.format('%.0f', number)
end

local count, round, opened, keep, expires, setter, setter_number = 0, 0, 0, 0, 0, '-', 0
local found = redis.pcall('HGET', KEYS[1], '-')
if found then
  if type(found) == 'table' then
    foreign(1, found)
  end
  local a, b, c, d, e, client, f = string.match(found, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (%d+)$')
  if not a then
    foreign(1, found)
  end
  count, round, opened, keep, expires = tonumber(a), tonumber(b), tonumber(c), tonumber(d), tonumber(e)
  setter, setter_number = client, tonumber(f)
elseif redis.call('EXISTS', KEYS[1]) == 1 then
  foreign(1, 'a hash of somebody else')
end

local function lasts()
  return count > 0 and keep or RETENTION
end

-- Java: expire
expires = math.min(expires, now + lasts())
local gone = expires <= now
if gone then
  count, round, opened, setter, setter_number = 0, 0, 0, '-', 0
end

local function waiters_are_ours()
  local size = redis.pcall('ZCARD', KEYS[2])
  if type(size) == 'table' then
    foreign(2, size)
  end
end

-- Java: isOver
local function is_over(client, number)
  if gone then
    return false
  end
  local entry = redis.call('HGET', KEYS[1], client)
  if not entry then
    return false
  end
  local last = tonumber(string.match(entry, '^(%d+) %d+$'))
  if not last then
    foreign(1, entry)
  end
  return last >= number
end

-- writes the state, and that a request of a client was carried out. Of a latch that is gone, the other fields go afterwards: while
-- its slot moves, a removed key cannot come back
local function save(client, number)
  local stale = gone and redis.call('HGETALL', KEYS[1]) or {}
  if gone then
    redis.call('DEL', KEYS[2])
  end
  local state = text(count) .. ' ' .. text(round) .. ' ' .. text(opened) .. ' ' .. text(keep) .. ' ' .. text(expires)
  redis.call('HSET', KEYS[1], '-', state .. ' ' .. setter .. ' ' .. text(setter_number))
  if client then
    redis.call('HSET', KEYS[1], client, text(number) .. ' ' .. text(now))
  end
  for i = 1, #stale, 2 do
    if stale[i] ~= '-' and stale[i] ~= client then
      redis.call('HDEL', KEYS[1], stale[i])
    end
  end
  redis.call('PEXPIRE', KEYS[1], text(math.ceil((expires - now + RETENTION) / 1000)))
end
