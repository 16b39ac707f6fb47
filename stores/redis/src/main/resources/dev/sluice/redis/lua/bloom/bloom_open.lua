-- bloom_open.lua  a header over an empty string. Java twin: BloomHeader.open
-- KEYS[1]      the string
-- ARGV[1]      0 create, 1 reset, 2 partition of the generation given
-- ARGV[2..9]   the header's eight numbers; the epoch is that of a partition, and the least one otherwise
-- ARGV[10]     microseconds after which a creation was left by its process
-- reply        {1 written, the eight numbers that stand there now, each as two halves}
-- time         the server's TIME
-- cost         O(1), and what was there is freed. It is not removed first: while its slot moves a key cannot come back
-- include bloom/bloom.lua
local head, foreign = header_of(KEYS[1], 1)
if foreign then
  return foreign
end
local now = now_micros()
local stored = epoch_of(head)
local epoch
if ARGV[1] == '2' then
  if stored < ARGV[4] + 0 then
    epoch = ARGV[4] + 0
  end
elseif ARGV[1] == '1' or not head or state_of(head) == 0 and now - number_at(head, 57) >= ARGV[10] + 0 then
  epoch = math.max(now, ARGV[4] + 0)
  if stored >= epoch then
    epoch = stored + 1
  end
end
if epoch then
  redis.call('SET', KEYS[1], EMPTY, 'KEEPTTL')
  for i = 0, 7 do
    redis.call('BITFIELD', KEYS[1], 'SET', 'i64', 64 * i, ARGV[2 + i])
  end
  set_number(KEYS[1], EPOCH, epoch)
  set_number(KEYS[1], CHANGED, now)
end
local reply = { epoch and 1 or 0 }
for i = 0, 15 do
  reply[2 + i] = redis.call('BITFIELD', KEYS[1], 'GET', 'u32', 32 * i)[1]
end
return reply
