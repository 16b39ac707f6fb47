-- cache_intend.lua  announce a write: no value, no lease, until it is over. Java twin: CacheState.intend
-- KEYS[1..2]   see cache.lua
-- ARGV[1..3]   client, attempt, how long at most (us)
-- reply        {1 if it stood already, now}
-- cost         O(n) for n that wait
-- include cache/cache.lua
drop()
intended()
end_lease()
local earlier = intents[owner]
intents[owner] = math.max(earlier or 0, now + ARGV[3])
save()
tell()
return { earlier and 1 or 0, now }
