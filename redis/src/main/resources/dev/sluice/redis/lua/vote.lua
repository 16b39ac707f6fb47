-- vote.lua     one node's part of a lock on a quorum, and the node's own record; the verbs of locks include this first. Java twin: QuorumNode
-- KEYS[1]      vote: the string of state.lua; its fence is a register that only rises
-- KEYS[2]      node: one string for all locks, see docs/stored-formats.md
-- KEYS[3]      waiting: client -> "attempt arrival deadAt"; touched only when somebody waits
-- KEYS[4]      over: as in state.lua
-- ARGV[1..2]   run id of the server that the connection was opened to (40 characters) and the client; attempt
-- reply        {kind, fence, remaining us, waiting}; kinds: 0 over, 1 yes, 2 no, 3 entered without the token, 4 not a member
-- include state.lua
local TURN, AHEAD = 20000000, 1000000
local NODE = '>I1c40I7I7I7I7I7'
local ENDED, YES, NO, ENTERED, NOT_MEMBER = 0, 1, 2, 3, 4
local run, client, attempt = string.sub(ARGV[1], 1, 40), string.sub(ARGV[1], 41), tonumber(ARGV[2])

local record = redis.pcall('GET', KEYS[2])
local marker, max_ttl, high, before, floor, turned = '', 0, 0, 0, 0, 0
if record then
  if type(record) == 'table' then
    foreign(2, record)
  end
  local ok, kind, m, t, h, b, f, at, stop = pcall(struct.unpack, NODE, record)
  if not ok or kind ~= 1 or stop ~= #record + 1 then
    foreign(2, record)
  end
  marker, max_ttl, high, before, floor, turned = m, t, h, b, f, at
end
local member, turned_at_first = marker == run, turned

-- the floor covers every fence that may have expired with its vote: one that was stored at least two turns ago
if now < turned then
  turned = now
elseif now - turned >= 2 * TURN then
  before, floor, turned = high, high, now
elseif now - turned >= TURN then
  before, floor, turned = high, before, now
end

local function effective()
  return math.max(fence, floor)
end

-- Java: raise. The record holds a bound on what was stored, some way ahead, so that it is seldom written
local function raise(token, block)
  fence = token + block - 1
  holder.token, holder.block = token, block
  if fence > high or turned ~= turned_at_first then
    if fence > high then
      high = math.min(fence + AHEAD, MAX_TOKEN)
    end
    redis.call('SET', KEYS[2], struct.pack(NODE, 1, marker, max_ttl, high, before, floor, turned))
  end
end

local function mine()
  return holder and holder.client == client and holder.attempt == attempt
end

-- a message is a hint: a user without the right to publish costs its waiters a poll, not the lock
local function post(to, what)
  redis.pcall('PUBLISH', 'sl:inbox:' .. to, what .. ' ' .. string.sub(KEYS[1], 5, -7))
end

-- those who wait and live: how many, and who came first
local function waiting()
  local count, first, earliest = 0, nil, nil
  if queued then
    local entries = redis.pcall('HGETALL', KEYS[3])
    if entries.err then
      foreign(3, entries)
    end
    for i = 1, #entries, 2 do
      local arrival, dead = string.match(entries[i + 1], '^%d+ (%d+) (%d+)$')
      arrival, dead = tonumber(arrival), tonumber(dead)
      if not arrival then
        foreign(3, entries[i + 1])
      end
      if dead > now and dead <= now + HEARTBEAT then
        count = count + 1
        if not first or arrival < earliest or (arrival == earliest and entries[i] < first) then
          first, earliest = entries[i], arrival
        end
      end
    end
  end
  return count, first
end

local function wait()
  waiting() -- proves that they are ours before the first write
  local arrival = now
  if queued then
    local entry = redis.call('HGET', KEYS[3], client)
    local since, dead = string.match(entry or '', '^%d+ (%d+) (%d+)$')
    if since and tonumber(dead) > now and tonumber(since) <= now then
      arrival = tonumber(since)
    end
  end
  redis.call('HSET', KEYS[3], client, string.format('%.0f %.0f %.0f', attempt, arrival, now + HEARTBEAT))
  redis.call('PEXPIRE', KEYS[3], 2 * HEARTBEAT / 1000)
  queued = true
end

local function leave()
  if queued then
    waiting()
    redis.call('HDEL', KEYS[3], client)
    queued = redis.call('HLEN', KEYS[3]) > 0
  end
end

local function answer(kind)
  return { kind, effective(), holder and math.max(0, holder.expires - now) or 0, (waiting()) }
end
