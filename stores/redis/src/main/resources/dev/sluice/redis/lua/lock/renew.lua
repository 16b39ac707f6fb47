-- renew.lua    lengthen the grant of one attempt, or say that it is gone. Java twin: GrantState.renew
-- KEYS[1..4]   see state.lua
-- alone        see state.lua
-- ARGV[1..3]   client, attempt, ttl (us)
-- reply        {0} gone | {1, remaining us, waiting}
-- cost         TIME, GET, SET while nobody waits
-- include lock/state.lua
-- include lock/find.lua
goes_on = true
local ttl = tonumber(ARGV[3])
local mine = find(ARGV[1], tonumber(ARGV[2]))
if mine then
  mine.state = 'H'
  mine.ttl = math.max(mine.ttl, ttl)
  mine.expires = math.max(mine.expires, now + ttl)
end
if not mine or not queued then
-- include lock/save.lua
  return mine and { 1, mine.expires - now, 0 } or { 0 }
end

-- include lock/grant.lua
-- include lock/queue.lua

live_head()
save()
return { 1, mine.expires - now, waiting() }
