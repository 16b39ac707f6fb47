-- force.lua    end the grant, whoever holds it, and hand over. Java twin: GrantState.forceRelease
-- KEYS[1..4]   see state.lua
-- ARGV[1]      the token of the grant that is to end, 0 for any
-- reply        {0} nobody held it, or another | {1, client, attempt, token, since us, remaining us, fence}
-- cost         TIME, GET, SET while nobody waits; O(log waiting) otherwise
-- include lock/state.lua
-- include lock/queue.lua
goes_on = true

local token = tonumber(ARGV[1])
if not holder or (token ~= 0 and holder.token ~= token) then
  return { 0 }
end
local first, ticket_of_first, dead = survey(nil)
local ended = holder
local somebodys = ended.client ~= '-'
if somebodys then
  remember(ended.client, ended.attempt)
end
holder = nil
fence = math.min(math.max(fence + 1, now), MAX_TOKEN)
local spent = fence
if somebodys then
  post(ended.client, 'taken')
end
bury(dead)
hand_over(first, ticket_of_first)
save()
return { 1, ended.client, ended.attempt, ended.token, ended.since, ended.expires - now, spent }
