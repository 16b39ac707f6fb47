-- renew.lua    lengthen the grant of one attempt, or say that it is gone. Java twin: GrantState.renew
-- KEYS[1..4]   see state.lua
-- alone        see state.lua
-- ARGV[1..3]   client, attempt, ttl (us)
-- reply        {0} gone | {1, remaining us, waiting}
-- cost         TIME, GET, SET while nobody waits
-- include lock/state.lua
goes_on = true
local client, attempt, ttl = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

-- include lock/queue.lua

local function renew()
  if not holder or holder.client ~= client or holder.attempt ~= attempt then
    return { 0 }
  end
  local _, _, dead = survey(nil)
  holder.state = 'H'
  holder.ttl = math.max(holder.ttl, ttl)
  holder.expires = math.max(holder.expires, now + ttl)
  bury(dead)
  return { 1, holder.expires - now, waiting() }
end

local reply = renew()
save()
return reply
