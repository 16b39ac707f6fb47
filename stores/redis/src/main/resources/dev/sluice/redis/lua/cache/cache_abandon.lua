-- cache_abandon.lua  end a lease without a value. Java twin: CacheState.abandon
-- KEYS[1..2]   see cache.lua
-- ARGV[1..2]   client, attempt
-- reply        {1 if there was the lease, now}
-- cost         O(n) for n that wait
-- include cache/cache.lua
if lease ~= owner then
  return { 0, now }
end
end_lease()
save()
tell()
return { 1, now }
