-- pace.lua     the state of a leaky queue; every verb of it includes this first. Java twin: QueueState
-- KEYS[1]      queue: the text "free stamp shift": end of the last turn that has come, time of the last call, see below
-- KEYS[2]      turns that have not come, "client ticket length", by their time
-- ARGV[1..3]   client, ticket, length of the turn (us): what a turn is known by
-- time         the server's TIME, read once. It never goes back in here: the text keeps by how much it did outside
-- expiry       both keys go MARGIN ms after the queue is empty; what is not needed any more goes at once
-- include lib/foreign.lua

local MARGIN = 1000
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local mine, length = ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. ARGV[3], ARGV[3] + 0
local free, shift, steps = 0, 0, 0

local found = redis.pcall('GET', KEYS[1])
if found then
  if type(found) == 'table' then
    foreign(1, found)
  end
  local f, stamp, s = string.match(found, '^(%d+) (%d+) (%d+)$')
  if not f then
    foreign(1, found)
  end
  free, stamp, shift = tonumber(f), tonumber(stamp), tonumber(s)
  now = now + shift
  if stamp > now then
    now, shift, steps = stamp, shift + stamp - now, 1
  end
end
local size = redis.pcall('ZCARD', KEYS[2])
if type(size) == 'table' then
  foreign(2, size)
end

-- the first turn of an answer with scores, if any
local function turn(answer)
  if not answer[1] then
    return nil
  end
  local client, ticket, lasts = string.match(answer[1], '^(%S+) (%d+) (%d+)$')
  if not client then
    foreign(2, answer[1])
  end
  return { text = answer[1], client = client, ticket = ticket, at = tonumber(answer[2]), lasts = tonumber(lasts) }
end

local function end_of(one)
  return one.at + one.lasts
end

local function text(number)
  return string.format('%.0f', number)
end

local function before(at)
  return turn(redis.call('ZREVRANGEBYSCORE', KEYS[2], '(' .. text(at), '-inf', 'WITHSCORES', 'LIMIT', 0, 1))
end

local function after(at)
  return turn(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. text(at), '+inf', 'WITHSCORES', 'LIMIT', 0, 1))
end

-- the last turn and those that have come; a verb reads all that it needs before it drops these. Java: settle
local last, come
local lost = size > 0 and not found -- the text was evicted: without it the times say nothing
if size > 0 then
  last = turn(redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES'))
end
if lost then
  last, size = nil, 0
elseif size > 0 then
  come = before(now + 1)
  if come then
    size = size - redis.call('ZCOUNT', KEYS[2], '-inf', text(now))
    free = end_of(come)
    last = size > 0 and last or nil
  end
end

local function last_end()
  return last and end_of(last) or free
end

local function drop_come(up_to)
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', up_to)
end

-- before any turn is changed: a user who lacks a right must not leave turns without an expiry, or an end forgotten.
-- A turn that is to be the only one is added before the last that has come goes: while its slot moves, a removed key cannot come back
local function save(adds)
  local left = last_end() - now
  if left <= 0 then
    redis.call('DEL', KEYS[1], KEYS[2])
    return
  end
  local millis = math.ceil(left / 1000) + MARGIN
  redis.call('SET', KEYS[1], text(free) .. ' ' .. text(now) .. ' ' .. text(shift), 'PX', millis)
  if size > 0 then
    redis.call('PEXPIRE', KEYS[2], millis)
  end
  if lost then
    redis.call('DEL', KEYS[2])
  elseif come then
    drop_come(adds and size == 1 and '(' .. text(come.at) or text(now))
  end
  return millis
end

-- include lib/post.lua

local function tell(one)
  if one then
    post(one.client, 'turn', one.ticket)
  end
end
