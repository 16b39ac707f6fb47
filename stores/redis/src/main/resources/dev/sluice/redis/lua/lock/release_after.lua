-- release_after.lua  end an attempt and leave its grant to nobody for a while. Java twin: GrantState.releaseAfter
-- KEYS[1..4]   see state.lua
-- ARGV[1..3]   client, attempt, delay (us)
-- reply        1 if the attempt had a live grant, else 0
-- cost         TIME, GET, SET
-- include lock/state.lua
-- include lock/find.lua
-- include lock/remember.lua
goes_on = true
local client, attempt, delay = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local left = find(client, attempt)
if left then
  remember(client, attempt)
  left.client, left.state = '-', 'H'
  left.ttl, left.expires = delay, now + delay
end
-- include lock/save.lua
return left and 1 or 0
