-- bloom_merge.lua  sets the bits that are set in some bytes. Java twin: MemoryBlooms.merge
-- KEYS[1..3]   the string, and two of the same slot for bytes on their way
-- ARGV[1]      the bytes
-- ARGV[2..3]   the epoch that is meant, where the bytes belong
-- reply        {1 done}
-- cost         as long as the bytes, three times over
-- include bloom/bloom.lua
local head, foreign = header_of(KEYS[1], 1)
if foreign then
  return foreign
end
if not head or epoch_of(head) ~= ARGV[2] + 0 or state_of(head) ~= 1 then
  return { 0 }
end
if #ARGV[1] > 0 then
  redis.call('SET', KEYS[2], redis.call('GETRANGE', KEYS[1], ARGV[3], ARGV[3] + #ARGV[1] - 1))
  redis.call('SET', KEYS[3], ARGV[1])
  redis.call('BITOP', 'OR', KEYS[2], KEYS[2], KEYS[3])
  redis.call('SETRANGE', KEYS[1], ARGV[3], redis.call('GET', KEYS[2]))
  redis.call('UNLINK', KEYS[2], KEYS[3])
end
return { 1 }
