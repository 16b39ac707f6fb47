-- bloom_promote.lua  the next generation takes the place of the one in use. Java twin: MemoryBlooms.promote
-- KEYS[1..2]   the string in use, the next one
-- ARGV[1..3]   the next epoch, the one in use (0 for none), the partition: only the first one has to be there still
-- reply        {1 done}
-- cost         O(1), and what was in use is freed. It is not removed first: while its slot moves a key cannot come back
-- include bloom/bloom.lua
local head, foreign = header_of(KEYS[1], 1)
local next_head, next_foreign = header_of(KEYS[2], 2)
if foreign or next_foreign then
  return foreign or next_foreign
end
if epoch_of(next_head) ~= ARGV[1] + 0 or epoch_of(head) ~= ARGV[2] + 0 and (head or ARGV[3] == '0') then
  return { 0 }
end
local left = redis.call('PTTL', KEYS[1])
redis.call('RENAME', KEYS[2], KEYS[1])
if left > 0 then
  redis.call('PEXPIRE', KEYS[1], left)
end
return { 1 }
