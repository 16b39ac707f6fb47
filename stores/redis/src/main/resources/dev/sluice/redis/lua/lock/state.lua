-- state.lua    the state of one lock, semaphore or read-write lock; every verb of grants includes this first. Java twin: GrantState
-- KEYS[1]      lock or permits: one string, see docs/stored-formats.md: a head, then the grants in the order they were given
-- KEYS[2]      queue: waiting clients, scored by arrival, see queue.lua; touched only when somebody waits
-- KEYS[3]      tickets: client -> "attempt ttl block least most deadAt"; touched only when somebody waits
-- KEYS[4]      over: client -> "attempt at", ended attempts of clients other than the last; touched only when there are such
-- alone        KEYS[1] without the others is enough while they are not needed. Where one is, the script fails, and has not
--              written anything yet: in a cluster, a slot on its way may not let several keys be used
-- time         the server's TIME, read once; microseconds below 2^53, packed or formatted with %.0f, never concatenated
-- cost         one GET and at most one SET while nobody waits; work grows with the grants of the name
local HEARTBEAT, CLAIM, RETENTION, MAX_LEAD = 1500000, 1000000, 60000000, 100000
local MAX_TOKEN = 9007199254740991
local OVER = 4

-- Java: GrantKind
local LAST_OF_LOCK = 107 -- `lock`, not `permits`
local IS_LOCK = string.byte(KEYS[1], -1) == LAST_OF_LOCK

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

-- include lib/foreign.lua
-- include lib/full.lua

-- a byte of form, then numbers of 4 or 7 bytes and words with a byte of length; I7 holds every number below 2^53.
-- A grant's state is H held, W held and told that it is wanted, P handed over and not taken up
local FREE, HELD = 5, 6
local HEAD, GRANT = '>I1I7I4I1I4I7I7Bc0', '>I7I7I2I4I7I7I7c1Bc0'
local HEAD_AND_GRANT = '>I1I7I4I1I4I7I7Bc0I4I7I7I2I4I7I7I7c1Bc0' -- in one call: most names have one grant at most
local fence, capacity, queued, spill, over_attempt, over_at, over_client = 0, 0, false, 0, 0, 0, '-'
local grants = { nil } -- with room for one

local found = redis.pcall('GET', KEYS[1])
if found then
  if type(found) == 'table' then
    foreign(1, found)
  end
  local ok, form, f, c, q, s, a, at, last, count, attempt, token, block, units, expires, ttl, since, state, client, stop =
    pcall(struct.unpack, string.byte(found) == HELD and HEAD_AND_GRANT or HEAD, found)
  local left = 0
  if form == HELD then
    ok, left = count > 0, count
  else
    stop = count
  end
  while ok and left > 0 do
    expires = math.min(expires, now + (state == 'P' and CLAIM or ttl)) -- Java: touch
    if expires > now then
      grants[#grants + 1] = {
        client = client, attempt = attempt, token = token, block = block, units = units,
        expires = expires, ttl = ttl, since = since, state = state
      }
    end
    left = left - 1
    if left > 0 then
      ok, attempt, token, block, units, expires, ttl, since, state, client, stop = pcall(struct.unpack, GRANT, found, stop)
    end
  end
  if not ok or form < FREE or form > HELD or stop ~= #found + 1 or f > MAX_TOKEN then
    foreign(1, found)
  end
  fence, capacity, queued, spill, over_attempt, over_at, over_client = f, c, q == 1, s, a, at, last
end

-- include lock/over.lua
