-- bloom_mark.lua  moves a generation on. Java twin: BloomHeader.mark
-- KEYS[1]      the string
-- ARGV[1..2]   the epoch that is meant, the state to be (1 ready, 2 rebuilding)
-- reply        {the epoch that stands there, 0 for none}
-- time         the server's TIME
-- cost         O(1)
-- include bloom/bloom.lua
local head, foreign = header_of(KEYS[1], 1)
if foreign then
  return foreign
end
if head and epoch_of(head) == ARGV[1] + 0 and state_of(head) == ARGV[2] - 1 then
  redis.call('BITFIELD', KEYS[1], 'SET', 'u8', STATE, ARGV[2])
  set_number(KEYS[1], CHANGED, now_micros())
end
return { epoch_of(head) }
