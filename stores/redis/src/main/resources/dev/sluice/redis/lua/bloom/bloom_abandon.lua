-- bloom_abandon.lua  gives a next generation up. Java twin: MemoryBlooms.abandon
-- KEYS[1..2]   the string in use, the next one
-- ARGV[1]      the next epoch
-- reply        {1 if it was there}
-- cost         O(1)
-- include bloom/bloom.lua
local next_head, next_foreign = header_of(KEYS[2], 2)
if next_foreign then
  return next_foreign
end
if epoch_of(next_head) ~= ARGV[1] + 0 then
  return { 0 }
end
redis.call('UNLINK', KEYS[2])
local head = header_of(KEYS[1], 1)
if head and state_of(head) == 2 then
  redis.call('BITFIELD', KEYS[1], 'SET', 'u8', STATE, 1)
end
return { 1 }
