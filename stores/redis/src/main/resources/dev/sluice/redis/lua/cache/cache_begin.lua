-- cache_begin.lua  a fresh value, or the lease to load it. Java twin: CacheState.begin
-- KEYS[1..2]   see cache.lua
-- ARGV[1..4]   client, attempt, lease (us, >= 1), 0 load or 1 refresh
-- reply        {0, now, value} hit | {1, now} granted | {2, now, lease left us} busy | {3, now, left us} a write is announced |
--              {4, now} hit, on a value that is too long to go through a script
-- cost         O(1); O(n) for n that wait
-- include cache/cache.lua
local LONG = 262144
if ARGV[4] == '0' and #head == 26 and string.byte(head, 4) == 1 and struct.unpack('>I7', head, 13) > now then
  if redis.call('STRLEN', KEYS[1]) > LONG then
    return { 4, now }
  end
  return { 0, now, redis.call('GET', KEYS[1]) }
end
local till = intended()
if till > now then
  return { 3, now, till - now }
end
if lease and now < lease_until and lease ~= owner then
  local known = false
  for _, client in ipairs(waiters) do
    known = known or client == ARGV[1]
  end
  if not known then
    waiters[#waiters + 1] = ARGV[1]
    save()
  end
  return { 2, now, lease_until - now }
end
lease, lease_until = owner, now + ARGV[3]
save()
return { 1, now }
