-- permit_acquire.lua  take units, or queue for them, or poll. Java twin: GrantState.acquire
-- KEYS[1..3]   see permit.lua
-- ARGV[1..9]   client, attempt, ttl (us), capacity, least, most (units), first (1) or not (0), block (tokens), queue (1) or not (0)
-- reply        {0} over | {1, token, block, remaining us, waiting, units} granted | {2, remaining us} busy |
--              {3, position, remaining us} queued | {4, capacity} of another capacity
-- cost         TIME, GET, SET while nobody waits
-- include lock/permit.lua
local client, wanted, queues = ARGV[1], tonumber(ARGV[4]), ARGV[9] == '1'
local request = {
  client = client, attempt = tonumber(ARGV[2]), ttl = tonumber(ARGV[3]), least = tonumber(ARGV[5]),
  most = tonumber(ARGV[6]), first = ARGV[7] == '1', block = tonumber(ARGV[8])
}

local function granted(given, waiting)
  return { 1, given.token, given.block, given.expires - now, waiting, given.units }
end

local function exhausted()
  return redis.error_reply('SLUICE<exhausted ' .. string.format('%.0f', fence) .. '>')
end

if not queued and not find(client, request.attempt) and (capacity == 0 or capacity == wanted) then
  local ended = last_over(client)
  if not ended or ended < request.attempt then
    capacity = wanted
    if free() >= request.least then
      local given = grant(request, 0)
      save()
      return given and granted(given, 0) or exhausted()
    end
  end
end

-- include lock/permit_line.lua

local function tell_wanted(again)
  for _, given in ipairs(grants) do
    if given.state ~= 'P' and given.client ~= client and (again or given.state ~= 'W') then
      given.state = 'W'
      post(given.client, 'permit-wanted')
    end
  end
end

-- keeps its place, if it has one
local function enqueue()
  local all = tickets()
  local mine, place = ticket(client)
  if not mine then
    place = #all + 1
    while request.first and place > 1 and not all[place - 1].first do
      place = place - 1
    end
    table.insert(all, place, request)
  else
    request.first = mine.first
    all[place] = request
  end
  request.dead = now + HEARTBEAT
  queued, line_changed = true, true
  return place - 1
end

local function refuse()
  local remaining
  for _, given in ipairs(grants) do
    remaining = math.min(remaining or given.expires - now, given.expires - now)
  end
  if not queues then
    tell_wanted(false)
    return { 2, remaining or 0 }
  end
  local position = enqueue()
  if position == 0 then
    tell_wanted(true)
  end
  return { 3, position, remaining or 0 }
end

local function acquire()
  local mine = find(client, request.attempt)
  if mine then
    if mine.state == 'P' then
      mine.state, mine.ttl, mine.expires = 'H', request.ttl, now + request.ttl
    end
    return granted(mine, waiting())
  end
  local ended = last_over(client)
  local earlier = ticket(client)
  if (ended and ended >= request.attempt) or (earlier and earlier.attempt > request.attempt) then
    return { 0 }
  end
  if earlier and earlier.attempt < request.attempt then
    dequeue(client)
  end
  if capacity == 0 then
    capacity = wanted
  elseif capacity ~= wanted then
    dequeue(client)
    return { 4, capacity }
  end
  hand_over(client)
  local first = head()
  local next = not first or first.client == client or (request.first and not first.first and not ticket(client))
  if next and free() >= request.least then
    dequeue(client)
    local given = grant(request, waiting())
    return given and granted(given, waiting()) or exhausted()
  end
  return refuse()
end

-- nothing is written before the line was read, where it is needed, and proved to be ours
local reply = acquire()
save_all()
return reply
