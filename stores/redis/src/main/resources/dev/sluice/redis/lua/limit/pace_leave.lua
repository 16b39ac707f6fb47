-- pace_leave.lua  leave a leaky queue before the turn has come. Java twin: QueueState.leave
-- KEYS[1..2]   see pace.lua
-- ARGV[1..3]   see pace.lua
-- reply        1 if the place was given up, else 0
-- cost         TIME, GET, ZCARD, SET; O(log waiting)
-- include limit/pace.lua
local at = tonumber(size > 0 and redis.call('ZSCORE', KEYS[2], mine) or nil)
local waits = at and at > now
local front, behind
if waits then
  front, behind = before(at), after(at)
  size = size - 1
  if not behind then
    last = size > 0 and front or nil
  end
end
if save() and waits then -- otherwise both keys are gone
  redis.call('ZREM', KEYS[2], mine)
  tell(behind)
end
return waits and 1 or 0
