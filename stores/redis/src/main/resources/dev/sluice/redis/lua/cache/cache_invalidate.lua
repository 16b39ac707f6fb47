-- cache_invalidate.lua  drop the value, the lease and one announcement. Java twin: CacheState.invalidate
-- KEYS[1..2]   see cache.lua
-- ARGV[1..2]   client, attempt; "-" and 0 if no write was announced
-- reply        {1, now}
-- cost         O(n) for n that wait
-- include cache/cache.lua
drop()
intents[owner] = nil
end_lease()
save()
tell()
return { 1, now }
