-- pace_advance.lua  move a caller up to the end of the turn before it. Java twin: QueueState.advance
-- KEYS[1..2]   see pace.lua
-- ARGV[1..3]   see pace.lua
-- reply        {1, delay us, waiting, drain us, clock steps}, or {0, 0, ...} if the turn has come already
-- cost         TIME, GET, ZCARD, SET; O(log waiting)
-- include limit/pace.lua
local at = tonumber(size > 0 and redis.call('ZSCORE', KEYS[2], mine) or nil)
if not at or at <= now then
  save()
  return { 0, 0, size, math.max(0, last_end() - now), steps }
end

local front, behind = before(at), after(at)
local earliest = math.max(now, front and front.at > now and end_of(front) or free)
local moves, passes = earliest < at, earliest <= now
if moves then
  if passes then
    size, free = size - 1, earliest + length
  end
  if not behind then
    last = size > 0 and not passes and { at = earliest, lasts = length } or nil
  end
end
save()
if moves then
  if passes then
    redis.call('ZREM', KEYS[2], mine)
  else
    redis.call('ZADD', KEYS[2], text(earliest), mine)
  end
  tell(behind)
end
return { 1, math.min(at, earliest) - now, size, math.max(0, last_end() - now), steps }
