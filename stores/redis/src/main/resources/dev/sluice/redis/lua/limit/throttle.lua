-- throttle.lua CL.THROTTLE without the module. Java twin: ThrottleState.decide
-- KEYS[1]      the theoretical arrival time: microseconds, and "rest/scale" behind a blank where the rate leaves a rest
-- ARGV[1..4]   limit, scale, step, quantity; see ThrottleRequest
-- reply        {limited 0|1, limit, remaining, retry after s or -1, reset after s}
-- time         the server's TIME, read once; every number stays below 2^53
-- cost         TIME, GET, and SET if anything was granted; expires MARGIN ms after the bucket is full
-- include lib/foreign.lua

local MARGIN = 1000
local EARLIEST, LATEST = 1000000000000000, 9007199254740992
local floor, ceil, max = math.floor, math.ceil, math.max
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local limit, scale, step, quantity = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0
local full = limit * step
local ahead, rest = 0, 0

local found = redis.pcall('GET', KEYS[1])
if found then
  if type(found) == 'table' then
    foreign(1, found)
  end
  local arrival, r, s = string.match(found, '^(%d+) (%d+)/(%d+)$')
  arrival, r, s = tonumber(arrival or string.match(found, '^%d+$')), tonumber(r), tonumber(s)
  if not arrival or arrival < EARLIEST or arrival >= LATEST or (r and (r < 1 or r >= LATEST or s < 1 or s >= LATEST)) then
    foreign(1, found)
  end
  if r and s == scale then
    rest = r
  elseif r then -- written at another rate
    arrival = arrival + 1
  end
  ahead = arrival - now
  if ahead < 0 then
    ahead, rest = 0, 0
  end
end

-- microseconds until the level has drained to the allowance
local function over(allowance)
  local units = allowance % scale
  return max(0, ahead - (allowance - units) / scale + (rest > units and 1 or 0))
end

local limited, wait, never = false, 0, quantity > limit
if quantity < 0 and -quantity * step >= (ahead + 1) * scale then
  ahead, rest = 0, 0 -- more than is spent
elseif quantity < 0 then
  local borrowed = rest - math.min(-quantity, floor(LATEST / step)) * step
  local micros = floor(borrowed / scale)
  ahead, rest = ahead + micros, borrowed - micros * scale
  if ahead < 0 then
    ahead, rest = 0, 0
  end
else
  local beyond = over(never and 0 or full - quantity * step)
  limited = never or beyond > 0
  if limited then
    wait = beyond
  else
    local units = rest + quantity * step
    rest = units % scale
    ahead = ahead + (units - rest) / scale
  end
end

local remaining = over(full) > 0 and 0 or floor((full - ahead * scale - rest) / step)
local reset = ahead + (rest > 0 and 1 or 0)
if not limited and quantity ~= 0 then
  if reset == 0 then
    redis.call('DEL', KEYS[1])
  else
    local text = string.format('%.0f', now + ahead)
    if rest > 0 then
      text = text .. string.format(' %.0f/%.0f', rest, scale)
    end
    redis.call('SET', KEYS[1], text, 'PX', ceil(reset / 1000) + MARGIN)
  end
end
return { limited and 1 or 0, limit, remaining, limited and not never and max(1, ceil(wait / 1e6)) or -1, ceil(reset / 1e6) }
