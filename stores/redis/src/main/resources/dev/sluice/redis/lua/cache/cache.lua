-- cache.lua    the state of one key of a cache, read and written; every verb on a key includes this first. Java twin: CacheState
-- KEYS[1]      value: one string, see docs/stored-formats.md
-- KEYS[2]      guard: a line of text for the lease, for each announced write, for each client to be told; only while there is one
-- KEYS[3]      where a verb that stores has one: the string to be stored, which is too long to go through a script
-- ARGV[1..2]   client, attempt
-- time         the server's TIME, read once; microseconds below 2^53
-- expiry       the value goes when it is not kept any longer, the guard MARGIN ms after the lease and every announcement
-- include lib/foreign.lua

local MARGIN = 1000
local VALUE_MARGIN = 0
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local owner = ARGV[1] .. ' ' .. ARGV[2]

local head = redis.pcall('GETRANGE', KEYS[1], 0, 25)
if type(head) == 'table' or (head ~= '' and string.sub(head, 1, 3) ~= 'SLC') then
  foreign(1, head)
end

local lease, lease_until, intents, waiters, woken = nil, 0, {}, {}, {}
local guard = redis.pcall('GET', KEYS[2])
if type(guard) == 'table' then
  foreign(2, guard)
end
for line in string.gmatch(guard or '', '[^\n]+') do
  local kind, whose, till = string.match(line, '^([LI]) (%S+ %d+) (%d+)$')
  if kind == 'L' then
    lease, lease_until = whose, tonumber(till)
  elseif kind == 'I' then
    intents[whose] = tonumber(till)
  else
    waiters[#waiters + 1] = string.match(line, '^W (%S+)$') or foreign(2, guard)
  end
end

local function save()
  local lines, last = {}, now
  local function add(kind, whose, till)
    lines[#lines + 1] = kind .. ' ' .. whose .. string.format(' %.0f', till)
    last = math.max(last, till)
  end
  if lease then
    add('L', lease, lease_until)
  end
  for whose, till in pairs(intents) do
    add('I', whose, till)
  end
  for _, client in ipairs(waiters) do
    lines[#lines + 1] = 'W ' .. client
  end
  local text = table.concat(lines, '\n')
  if text == '' then
    if guard then
      redis.call('UNLINK', KEYS[2])
    end
  elseif text ~= guard then
    redis.call('SET', KEYS[2], text, 'PX', math.ceil((last - now) / 1000) + MARGIN)
  end
end

-- first of all that a verb writes: whatever comes after it may be refused, for a right or for memory
local function drop()
  redis.call('UNLINK', KEYS[1])
end

-- a long string that is not wanted after all
local function discard()
  if KEYS[3] then
    redis.call('UNLINK', KEYS[3])
  end
end

-- ARGV[3..5]: fresh for (us), kept after that (us), the string with its times left blank. What a refused command answered
local function store()
  local fresh, stale = ARGV[3] + 0, ARGV[4] + 0
  if fresh + stale <= 0 then
    drop()
    discard()
    return nil
  end
  local millis = math.ceil((fresh + stale) / 1000) + VALUE_MARGIN
  local stored
  if KEYS[3] then
    -- in place of the value, which is not removed first: while its slot moves, a removed key cannot come back
    stored = redis.pcall('RENAME', KEYS[3], KEYS[1])
  else
    stored = redis.pcall('SET', KEYS[1], ARGV[5], 'PX', millis)
  end
  if stored.err then
    return stored
  end
  if KEYS[3] then
    redis.call('PEXPIRE', KEYS[1], millis)
  end
  -- in its place: a long string must not be put together in here
  redis.call('SETRANGE', KEYS[1], 5, struct.pack('>I7I7I7', now, now + fresh, now + fresh + stale))
end

-- Java: isHeld
local function held()
  return lease == owner and now < lease_until
end

-- Java: endLease
local function end_lease()
  lease, woken, waiters = nil, waiters, {}
end

-- Java: intended
local function intended()
  local last = now
  for whose, till in pairs(intents) do
    if till <= now then
      intents[whose] = nil
    end
    last = math.max(last, till)
  end
  return last
end

-- include lib/post.lua

local function tell()
  for _, client in ipairs(woken) do
    post(client, 'load')
  end
end
