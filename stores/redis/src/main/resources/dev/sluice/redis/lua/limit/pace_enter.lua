-- pace_enter.lua  take the next turn of a leaky queue, or say when there is one. Java twin: QueueState.enter
-- KEYS[1..2]   see pace.lua
-- ARGV[1..3]   see pace.lua; length 0 only looks
-- ARGV[4..5]   places, longest wait (us)
-- reply        {admitted 0|1, delay us, waiting, drain us, clock steps}
-- cost         TIME, GET, ZCARD, SET while nobody waits; O(log waiting) otherwise
-- include limit/pace.lua
local places, max_wait = ARGV[4] + 0, ARGV[5] + 0

local wait = math.max(0, last_end() - now)
local full = wait > 0 and size >= places
local first = full and after(now)

local admitted, delay = 1, 0
if length > 0 and (full or wait > max_wait) then
  local place = full and (first and first.at - now or wait) or 0
  admitted, delay = 0, math.max(place, wait - max_wait)
elseif length > 0 and wait == 0 then
  free = now + length
elseif length > 0 then
  delay = wait
  last, size = { at = now + wait, lasts = length }, size + 1
end
local enters = delay > 0 and admitted == 1
local millis = save(enters)
if enters then
  redis.call('ZADD', KEYS[2], text(now + wait), mine)
  if size == 1 then -- a new key, or one that has a turn that has come
    redis.call('PEXPIRE', KEYS[2], millis)
    if come then
      drop_come(text(now))
    end
  end
end
return { admitted, delay, size, math.max(0, last_end() - now), steps }
