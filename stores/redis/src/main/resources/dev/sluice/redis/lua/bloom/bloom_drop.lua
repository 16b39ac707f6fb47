-- bloom_drop.lua  removes a string of ours
-- KEYS[1]      the string
-- ARGV[1]      1: only if it has no header
-- reply        {1 if one with a header was removed}
-- cost         O(1); freed by another thread
-- include bloom/bloom.lua
local head, foreign = header_of(KEYS[1], 1)
if foreign then
  return foreign
end
if head and ARGV[1] == '1' then
  return { 0 }
end
redis.call('UNLINK', KEYS[1])
return { head and 1 or 0 }
