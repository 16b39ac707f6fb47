-- cache_tag.lua  drop what has a tag. Java twin: MemoryCaches.invalidateTag
-- KEYS[1..2]   the version of the tags of a cache, the version at which one of them was dropped; decimal
-- ARGV[1]      how long to remember it (us)
-- reply        {1, now}
-- expiry       the version outlives every tag
-- cost         O(1)
-- include lib/foreign.lua
local MARGIN = 1000
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local version = redis.pcall('GET', KEYS[1])
if version and (type(version) == 'table' or not string.find(version, '^%d+$')) then
  foreign(1, version)
end
local earlier = redis.pcall('GET', KEYS[2])
if earlier and (type(earlier) == 'table' or not string.find(earlier, '^%d+$')) then
  foreign(2, earlier)
end
local text = string.format('%.0f', math.max(now, version and version + 1 or 0))
local keep = math.ceil(ARGV[1] / 1000) + MARGIN
redis.call('SET', KEYS[1], text, 'PX', math.max(keep, redis.call('PTTL', KEYS[1])))
redis.call('SET', KEYS[2], text, 'PX', keep)
return { 1, now }
