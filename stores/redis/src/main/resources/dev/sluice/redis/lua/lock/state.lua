-- state.lua    the state of one lock, read and written; every verb of locks includes this first. Java twin: GrantState
-- KEYS[1]      lock: one string, see docs/stored-formats.md
-- KEYS[2]      queue: waiting clients, scored by arrival; touched only when somebody waits
-- KEYS[3]      tickets: client -> "attempt ttl block deadAt"; touched only when somebody waits
-- KEYS[4]      over: client -> "attempt at", ended attempts of clients other than the last; touched only when there are such
-- alone        KEYS[1] without the others is enough while they are not needed. Where one is, the script fails, and has not
--              written anything yet: in a cluster, a slot on its way may not let several keys be used
-- time         the server's TIME, read once; microseconds below 2^53, packed or formatted with %.0f, never concatenated
-- cost         one GET and at most one SET while nobody waits
local HEARTBEAT, CLAIM, RETENTION, MAX_LEAD = 1500000, 1000000, 60000000, 100000
local MAX_TOKEN = 9007199254740991
local OVER = 4

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

-- include lib/foreign.lua
-- include lib/full.lua

-- one byte of kind, then numbers of 7 bytes and words with a byte of length; I7 holds every number below 2^53
local IDLE, HELD = '>I1I7I1I4I7I7Bc0', '>I1I7I1I4I7I7Bc0I7I7I2I7I7I7c1Bc0'
local fence, queued, spill, over_attempt, over_at, over_client, holder = 0, false, 0, 0, 0, '-', nil
local found = redis.pcall('GET', KEYS[1])
if found then
  if type(found) == 'table' then
    foreign(1, found)
  end
  local ok, kind, f, q, s, a, at, c, attempt, token, block, expires, ttl, since, state, client, stop =
    pcall(struct.unpack, string.byte(found) == 2 and HELD or IDLE, found)
  if ok and kind == 1 then
    stop = attempt
  end
  if not ok or kind < 1 or kind > 2 or stop ~= #found + 1 or f > MAX_TOKEN then
    foreign(1, found)
  end
  fence, queued, spill, over_attempt, over_at, over_client = f, q == 1, s, a, at, c
  if kind == 2 then
    holder = {
      client = client, attempt = attempt, token = token, block = block,
      expires = expires, ttl = ttl, since = since, state = state
    }
  end
end

local function save()
  local value
  local rest = fence > now and fence - now or 0
  if holder then
    value = struct.pack(HELD, 2, fence, queued and 1 or 0, spill, over_attempt, over_at, #over_client, over_client,
      holder.attempt, holder.token, holder.block, holder.expires, holder.ttl, holder.since, holder.state,
      #holder.client, holder.client)
    rest = math.max(rest, holder.expires - now)
  else
    value = struct.pack(IDLE, 1, fence, queued and 1 or 0, spill, over_attempt, over_at, #over_client, over_client)
  end
  if value ~= found then
    put(KEYS[1], value, rest == 0 and '60000' or math.ceil((rest + RETENTION) / 1000))
  end
end

-- Java: touch
if holder then
  holder.expires = math.min(holder.expires, now + (holder.state == 'P' and CLAIM or holder.ttl))
  if holder.expires <= now then
    holder = nil
  end
end

-- include lock/over.lua

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
