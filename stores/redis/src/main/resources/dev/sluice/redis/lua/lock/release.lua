-- release.lua  end an attempt: free its grant and hand over, or leave the queue. Java twin: GrantState.release
-- KEYS[1..4]   see state.lua
-- alone        see state.lua
-- ARGV[1..2]   client, attempt
-- reply        1 if a live grant was freed, else 0
-- cost         TIME, GET, SET while nobody waits; O(log waiting) otherwise
-- include lock/state.lua
goes_on = true
local client, attempt = ARGV[1], tonumber(ARGV[2])

-- Java: ends
local function free()
  if holder and holder.client == client and holder.attempt <= attempt then
    holder = nil
    return 1
  end
  return 0
end

if not queued then
  remember(client, attempt)
  local freed = free()
  save()
  return freed
end

-- include lock/queue.lua

local mine = ticket(client)
local leaves = mine and mine.attempt <= attempt
local first, ticket_of_first, dead = survey(nil, leaves and client)
remember(client, attempt)
if leaves then
  drop(client)
end
local freed = free()
bury(dead)
if not holder then
  hand_over(first, ticket_of_first)
end
save()
return freed
