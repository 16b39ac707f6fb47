-- permit_release.lua  end an attempt, or give some of its units back, and hand over. Java twin: PermitState.release
-- KEYS[1..3]   see permit.lua
-- ARGV[1..3]   client, attempt, units to keep (0: the attempt is over)
-- reply        1 if the attempt had a live grant, else 0
-- cost         TIME, GET, SET while nobody waits
-- include permit.lua
local client, attempt, keep = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local earlier = ticket(client) -- reads the line, where there is one, before the first write
if keep == 0 then
  remember(client, attempt)
  if earlier and earlier.attempt <= attempt then
    dequeue(client)
  end
end
local mine, place = find(client, attempt)
if mine then
  mine.units = math.min(mine.units, keep)
  if keep == 0 then
    table.remove(grants, place)
  end
end
hand_over()
save()
return mine and 1 or 0
