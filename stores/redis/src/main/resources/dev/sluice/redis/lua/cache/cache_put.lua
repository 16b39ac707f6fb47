-- cache_put.lua  store a value without a lease, unless a write is announced. Java twin: CacheState.put
-- KEYS[1..n]   two or three, see cache.lua
-- ARGV[1..5]   "-", 0, then see store in cache.lua
-- reply        {1, now}
-- cost         O(1) and the value; O(n) for n that wait
-- include cache/cache.lua
local refused
if intended() > now then
  drop()
  discard()
else
  refused = store()
  if refused then
    drop()
  end
end
end_lease()
save()
tell()
return refused or { 1, now }
