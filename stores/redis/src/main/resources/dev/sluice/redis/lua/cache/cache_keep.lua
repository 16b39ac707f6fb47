-- cache_keep.lua  lengthen a lease that is alive. Java twin: CacheState.keep
-- KEYS[1..2]   see cache.lua
-- ARGV[1..3]   client, attempt, lease (us)
-- reply        {1 if it is alive, now}
-- cost         O(1); O(n) for n that wait
-- include cache/cache.lua
if not held() then
  return { 0, now }
end
lease_until = math.max(lease_until, now + ARGV[3])
save()
return { 1, now }
