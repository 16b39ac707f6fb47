-- permit.lua   the state of one semaphore or read-write lock; every verb of permits includes this first. Java twin: GrantState
-- KEYS[1]      permits: one string, see docs/stored-formats.md: a head, then the grants in the order they were given
-- KEYS[2]      line: see permit_line.lua; touched only when somebody waits
-- KEYS[3]      over: see over.lua; touched only when several clients ended attempts
-- time         the server's TIME, read once; microseconds below 2^53, packed, never concatenated
-- cost         one GET and at most one SET while nobody waits; work grows with the grants and tickets of the name
local HEARTBEAT, CLAIM, RETENTION, MAX_LEAD = 1500000, 1000000, 60000000, 100000
local MAX_TOKEN = 9007199254740991
local OVER = 3

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

-- include lib/foreign.lua
-- include lib/full.lua

-- I7 holds every number below 2^53; a state is H held, W held and told that it is wanted, P handed over and not taken up
local HEAD, GRANT = '>I1I7I4I1I4I7I7Bc0I4', '>I7I7I2I4I7I7I7c1Bc0'
local STATE = 3
local fence, capacity, queued, spill, over_attempt, over_at, over_client = 0, 0, false, 0, 0, 0, '-'
local grants = {}

local function read_state(bytes)
  local kind, f, c, q, s, a, at, client, count, at_grant = struct.unpack(HEAD, bytes)
  for i = 1, count do
    local attempt, token, block, units, expires, ttl, since, state, holder, rest = struct.unpack(GRANT, bytes, at_grant)
    at_grant = rest
    grants[i] = {
      client = holder, attempt = attempt, token = token, block = block, units = units,
      expires = expires, ttl = ttl, since = since, state = state
    }
  end
  fence, capacity, queued, spill, over_attempt, over_at, over_client = f, c, q == 1, s, a, at, client
  return kind == STATE and at_grant == #bytes + 1 and f <= MAX_TOKEN
end

local found = redis.pcall('GET', KEYS[1])
if found then
  if type(found) == 'table' then
    foreign(1, found)
  end
  local ok, ours = pcall(read_state, found)
  if not ok or not ours then
    foreign(1, found)
  end
end

-- Java: touch
for i = #grants, 1, -1 do
  local grant = grants[i]
  grant.expires = math.min(grant.expires, now + (grant.state == 'P' and CLAIM or grant.ttl))
  if grant.expires <= now then
    table.remove(grants, i)
  end
end

-- include lock/over.lua

local function find(client, attempt)
  for i, grant in ipairs(grants) do
    if grant.client == client and grant.attempt == attempt then
      return grant, i
    end
  end
end

local function free()
  local out = 0
  for _, grant in ipairs(grants) do
    out = out + grant.units
  end
  return capacity - out
end

-- Java: grant; more than the least only while nobody waits; nil when no token is left
local function grant(request, waiting)
  local token = math.max(fence + 1, now)
  if token > MAX_TOKEN then
    return nil
  end
  local units = waiting == 0 and math.min(request.most, free()) or request.least
  local room = math.min(MAX_LEAD - (token - now), MAX_TOKEN - token + 1)
  local block = math.max(1, math.min(request.block, room))
  fence = token + block - 1
  local given = {
    client = request.client, attempt = request.attempt, token = token, block = block, units = units,
    expires = now + request.ttl, ttl = request.ttl, since = now, state = 'H'
  }
  grants[#grants + 1] = given
  return given
end

local function save()
  local rest = fence > now and fence - now or 0
  local parts = { struct.pack(HEAD, STATE, fence, capacity, queued and 1 or 0, spill, over_attempt, over_at,
    #over_client, over_client, #grants) }
  for i, g in ipairs(grants) do
    parts[i + 1] = struct.pack(GRANT, g.attempt, g.token, g.block, g.units, g.expires, g.ttl, g.since, g.state,
      #g.client, g.client)
    rest = math.max(rest, g.expires - now)
  end
  local value = table.concat(parts)
  if value ~= found then
    put(KEYS[1], value, rest == 0 and '60000' or math.ceil((rest + RETENTION) / 1000))
  end
end
