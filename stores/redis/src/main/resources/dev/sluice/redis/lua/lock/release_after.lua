-- release_after.lua  end an attempt and leave its grant to nobody for a while. Java twin: GrantState.releaseAfter
-- KEYS[1..4]   see state.lua
-- ARGV[1..3]   client, attempt, delay (us)
-- reply        1 if the attempt had a live grant, else 0
-- cost         TIME, GET, SET
-- include lock/state.lua
goes_on = true
local client, attempt, delay = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local function leave()
  if not holder or holder.client ~= client or holder.attempt ~= attempt then
    return 0
  end
  remember(client, attempt)
  holder.client, holder.state = '-', 'H'
  holder.ttl, holder.expires = delay, now + delay
  return 1
end

local reply = leave()
save()
return reply
