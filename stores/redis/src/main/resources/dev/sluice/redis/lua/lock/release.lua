-- release.lua  end an attempt, or give some of its units back, and hand over; or leave the queue. Java twin: GrantState.release
-- KEYS[1..4]   see state.lua
-- alone        see state.lua
-- ARGV[1..2]   client, attempt
-- ARGV[3]      units to keep; 0, or left out: the attempt is over
-- reply        1 if the attempt had a live grant, else 0
-- cost         TIME, GET, SET while nobody waits; O(log waiting) for each ticket that is served or dropped otherwise
-- include lock/state.lua
goes_on = true
local client, attempt, keep = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3] or 0)

local freed = 0
for i = 1, #grants do
  local mine = grants[i]
  if mine.client == client and (mine.attempt == attempt or (IS_LOCK and mine.attempt < attempt)) then -- Java: ends
    mine.units = math.min(mine.units, keep)
    if keep == 0 then
      table.remove(grants, i)
    end
    freed = 1
    break
  end
end

-- include lock/remember.lua

if not queued then
  if keep == 0 then
    remember(client, attempt)
  end
-- include lock/save.lua
  return freed
end

-- include lock/grant.lua
-- include lock/queue.lua

local waits = ticket(client)
if keep == 0 and waits and waits.attempt <= attempt then
  drop(client)
end
hand_over()
if keep == 0 then
  remember(client, attempt)
end
save()
return freed
