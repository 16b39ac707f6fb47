-- bucket.lua   take permits from one bucket that is not numbered, as most are. Java twin: LimitState.decide
-- KEYS[1]      the bucket
-- ARGV[1..6]   cost (>= 1), times, capacity, scale, step, longest wait (us)
-- reply        {granted, remaining, retry us, reset us, now}; where more is to be said, what limit.lua replies
-- time         the server's TIME, read once; every number stays below 2^53
-- cost         TIME, GET, and SET if anything was granted; no tables and no functions but for what is rare
local MARGIN = 1000
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local found = redis.pcall('GET', KEYS[1])
local cost, times, capacity, scale, step = ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0, ARGV[5] + 0
local full, weight = capacity * step, cost * step

-- Java: BucketMeter.plain, with a rest in front if it is longer. Left to the rest of this script: what is not this text
-- or cannot become it, a clock that went back, a place that is promised
local level
if not found then
  level = 0
elseif #found == 16 and not string.find(found, '%D') and found >= '1' then
  level = (found - now) * scale
elseif #found > 16 and #found <= 19 and string.find(found, '^%d+$') and string.sub(found, -16) >= '1' then
  local rest = string.sub(found, 1, -17) + 0
  level = rest < scale and (string.sub(found, -16) - now) * scale + rest
end
if level and level <= full and scale <= 900 then
  if level < 0 then
    level = 0
  end
  local granted = (full - level) / weight
  granted = granted - granted % 1
  if granted > times then
    granted = times
  end
  level = level + granted * weight
  local rest = level % scale
  local reset = (level - rest) / scale
  local arrival = now + reset
  if rest > 0 then
    reset = reset + 1
  end
  local retry = 0
  if granted < times then
    local over = level + weight - full
    retry = weight <= full and (over + -over % scale) / scale or reset > 1000000 and reset or 1000000
  end
  if granted > 0 then
    if rest > 0 then
      arrival = string.format('%d%016.0f', rest, arrival)
    end
    redis.call('SET', KEYS[1], arrival, 'PX', (reset + -reset % 1000) / 1000 + MARGIN)
  end
  if granted > 0 or ARGV[6] == '0' or times > 1 or weight > full or retry > ARGV[6] + 0 then
    local left = full - level
    return { granted, (left - left % step) / step, retry, reset, now }
  end
end

local verb, max_wait, taken, begins = 0, ARGV[6] + 0, 0, false
local rules = { { kind = 1, capacity = capacity, scale = scale, step = step, version = 0, carry = 0 } }
-- include limit/meters.lua
-- include limit/decide.lua
