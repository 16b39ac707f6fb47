-- acquire.lua  take units, or queue for them, or poll. Java twin: GrantState.acquire
-- KEYS[1..4]   see state.lua
-- alone        see state.lua
-- ARGV[1..5]   client, attempt, ttl (us), block (tokens, >= 1), queue (1) or not (0)
-- ARGV[6..9]   capacity, least, most (units), first (1) or not (0); left out of a lock, which has one unit
-- reply        {0} over | {1, token, block, remaining us, waiting, units} granted | {2, remaining us} busy |
--              {3, position, remaining us} queued | {4, capacity} of another capacity; then, of a lock, the attempt of the same
--              client whose live grant this one ended, if any
-- cost         TIME, GET, SET while nobody waits; O(log waiting) for each ticket that is served or dropped otherwise
-- include lock/state.lua
-- include lock/find.lua
-- include lock/grant.lua
local client, attempt, ttl, block = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local wants_queue, goes_first = ARGV[5] == '1', ARGV[9] == '1'
local units, least, most = 1, 1, 1
if not IS_LOCK then
  units, least, most = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
end

local over = last_over(client)
local is_over = over and over >= attempt
if is_over and IS_LOCK then
  return { 0 }
end

if not queued and not is_over and (capacity == 0 or capacity == units) and fence < MAX_TOKEN then
  capacity = units
  if #grants == 0 or (free() >= least and not find(client, attempt)) then
    local given = grant(client, attempt, ttl, block, least, most, 0)
-- include lock/save.lua
    return { 1, given.token, given.block, given.expires - now, 0, given.units }
  end
end

-- include lock/remember.lua
-- include lock/queue.lua

local function granted(given)
  return { 1, given.token, given.block, given.expires - now, waiting(), given.units }
end

local function tell_wanted(again)
  for _, given in ipairs(grants) do
    if given.state ~= 'P' and given.client ~= client and given.client ~= '-' and (again or given.state ~= 'W') then
      given.state = 'W'
      post(given.client, MESSAGE .. 'wanted')
    end
  end
end

local function refuse()
  local remaining
  for _, given in ipairs(grants) do
    remaining = math.min(remaining or given.expires - now, given.expires - now)
  end
  if not wants_queue then
    tell_wanted(false)
    return { 2, remaining or 0 }
  end
  local position = enqueue(client, goes_first,
    string.format('%.0f %.0f %d %d %d %.0f', attempt, ttl, block, least, most, now + HEARTBEAT))
  if position == 0 then
    tell_wanted(true)
  end
  return { 3, position, remaining or 0 }
end

-- Java: isNext
local function is_next()
  local head = head()
  return not head or head.client == client or (goes_first and not head.goes_first and not ticket(client))
end

local replaced
local function acquire()
  local mine = find(client, attempt)
  if mine then
    if mine.state == 'P' then
      mine.state, mine.ttl, mine.expires = 'H', ttl, now + ttl
    end
    return granted(mine)
  end
  local held = IS_LOCK and grants[1]
  local earlier = ticket(client)
  if held and held.client ~= client then
    held = nil
  end
  if is_over or (held and held.attempt > attempt) or (earlier and earlier.attempt > attempt) then
    return { 0 }
  end
  if held then
    replaced = held.attempt
    table.remove(grants, 1)
  end
  if earlier and earlier.attempt < attempt then
    drop(client)
  end
  if capacity ~= 0 and capacity ~= units then
    if ticket(client) then
      drop(client)
    end
    return { 4, capacity }
  end
  capacity = units
  hand_over(client)
  local takes = free() >= least and is_next()
  if replaced then
    remember(client, replaced)
  end
  if not takes then
    return refuse()
  end
  local front = head()
  if front and front.client == client then
    drop(client)
  end
  local given = grant(client, attempt, ttl, block, least, most, waiting())
  return given and granted(given) or redis.error_reply('SLUICE<exhausted ' .. string.format('%.0f', fence) .. '>')
end

local reply = acquire()
save()
if replaced and not reply.err then
  reply[#reply + 1] = replaced
end
return reply
