-- cache_append.lua  add to the log of a cache
-- KEYS[1]      the log, a stream
-- ARGV[1]      the key that was dropped; empty for every key
-- reply        the place of the entry
-- expiry       an hour after the last entry
-- cost         O(1)
-- include lib/foreign.lua
local place = redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', 10000, '*', 'k', ARGV[1])
if type(place) == 'table' then
  foreign(1, place)
end
local kept = redis.pcall('PEXPIRE', KEYS[1], 3600000)
if type(kept) == 'table' then
  redis.call('UNLINK', KEYS[1]) -- a log that would stay for ever; without it all copies are dropped
  return kept
end
return place
