-- vote.lua     one node's part of a lock on a quorum, and the node's own record; the verbs of locks include this first. Java twin: QuorumNode
-- KEYS[1]      vote: the string of state.lua with one grant at most; its fence is a register that only rises
-- KEYS[2]      node: one string for all locks, see docs/stored-formats.md
-- KEYS[3]      waiting: client -> "attempt arrival deadAt"; touched only when somebody waits
-- KEYS[4]      over: as in state.lua
-- KEYS[5..6]   young, old: name -> fence, of votes that may have expired; see raise
-- ARGV[1..2]   run id of the server that the connection was opened to (40 characters) and the client; attempt
-- reply        {kind, fence, remaining us, waiting}; kinds: 0 over, 1 yes, 2 no, 3 entered without the token, 4 not a member
-- include lock/state.lua
-- include lock/remember.lua
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
local member = marker == run

-- one client has an entry at most
local holder = grants[1]
local function save()
  grants[1] = holder
-- include lock/save.lua
end

-- a vote goes when the server's clock says so, and that may step to and fro: its fence stays in one of two generations
local name = string.match(KEYS[1], '{(.-)}')
if not found then
  for i = 5, 6 do
    local kept = redis.pcall('HGET', KEYS[i], name)
    if type(kept) == 'table' then
      foreign(i, kept)
    end
    if kept then
      fence = math.max(fence, tonumber(kept) or foreign(i, kept))
    end
  end
end

local function effective()
  return math.max(fence, floor)
end

-- Java: raise. The record holds a bound on what was stored, some way ahead, so that it is seldom written. At a turn the bound of the
-- old generation becomes the floor of every name, is stored, and only then is that generation dropped
local function raise(token, block)
  fence = token + block - 1
  holder.token, holder.block = token, block
  redis.call('HSET', KEYS[5], name, string.format('%.0f', fence))
  local higher, turns = fence > high, now - turned >= TURN
  if higher then
    high = math.min(fence + AHEAD, MAX_TOKEN)
  end
  if turns then
    before, floor = high, before
  end
  if higher or turns or now < turned then
    turned = (turns or now < turned) and now or turned
    redis.call('SET', KEYS[2], struct.pack(NODE, 1, marker, max_ttl, high, before, floor, turned))
  end
  if turns then
    redis.call('UNLINK', KEYS[6])
    redis.call('RENAME', KEYS[5], KEYS[6])
  end
end

local function mine()
  return holder and holder.client == client and holder.attempt == attempt
end

local function answer(kind, waiting)
  return { kind, effective(), holder and math.max(0, holder.expires - now) or 0, waiting }
end
