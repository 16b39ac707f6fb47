-- cache_fill.lua  store a value if the lease is alive, and end the lease. Java twin: CacheState.fill
-- KEYS[1..n]   two or three, see cache.lua
-- ARGV[1..5]   client, attempt, then see store in cache.lua
-- reply        {1 if it was stored, now}
-- cost         O(1) and the value; O(n) for n that wait
-- include cache/cache.lua
if not held() then
  discard()
  return { 0, now }
end
local refused = store()
end_lease()
save()
tell()
return refused or { 1, now }
