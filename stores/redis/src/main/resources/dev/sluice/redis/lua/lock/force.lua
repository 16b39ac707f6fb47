-- force.lua    end the grant of a lock, whoever holds it, and hand over. Java twin: GrantState.forceRelease
-- KEYS[1..4]   see state.lua
-- ARGV[1]      the token of the grant that is to end, 0 for any
-- reply        {0} nobody held it, or another | {1, client, attempt, token, since us, remaining us, fence}
-- cost         TIME, GET, SET while nobody waits; O(log waiting) for each ticket that is served or dropped otherwise
-- include lock/state.lua
-- include lock/grant.lua
-- include lock/queue.lua
-- include lock/remember.lua
goes_on = true

local token = tonumber(ARGV[1])
local ended = grants[1]
if not ended or (token ~= 0 and ended.token ~= token) then
  return { 0 }
end
live_head() -- raises foreign tickets before anybody is told
local somebodys = ended.client ~= '-'
table.remove(grants, 1)
fence = math.min(math.max(fence + 1, now), MAX_TOKEN)
local spent = fence
if somebodys then
  post(ended.client, 'taken')
end
hand_over()
if somebodys then
  remember(ended.client, ended.attempt)
end
save()
return { 1, ended.client, ended.attempt, ended.token, ended.since, ended.expires - now, spent }
