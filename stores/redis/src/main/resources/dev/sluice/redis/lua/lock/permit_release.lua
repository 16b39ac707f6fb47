-- permit_release.lua  end an attempt, or give some of its units back, and hand over. Java twin: GrantState.release
-- KEYS[1..3]   see permit.lua
-- ARGV[1..3]   client, attempt, units to keep (0: the attempt is over)
-- reply        1 if the attempt had a live grant, else 0
-- cost         TIME, GET, SET while nobody waits
-- include lock/permit.lua
goes_on = true
local client, attempt, keep = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local function give_back()
  local mine, place = find(client, attempt)
  if mine then
    mine.units = math.min(mine.units, keep)
    if keep == 0 then
      table.remove(grants, place)
    end
  end
  return mine and 1 or 0
end

if not queued then
  if keep == 0 then
    remember(client, attempt)
  end
  local freed = give_back()
  save()
  return freed
end

-- include lock/permit_line.lua

local earlier = ticket(client) -- reads the line, where there is one, before the first write
if keep == 0 then
  remember(client, attempt)
  if earlier and earlier.attempt <= attempt then
    dequeue(client)
  end
end
local freed = give_back()
hand_over()
save_all()
return freed
