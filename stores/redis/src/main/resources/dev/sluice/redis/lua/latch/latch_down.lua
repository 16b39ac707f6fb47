-- latch_down.lua   count down, and tell who waits when it is zero. Java twin: LatchState.countDown
-- KEYS[1..2]   see latch.lua
-- ARGV[1..3]   client, number of the request, by how much (>= 1)
-- reply        the count afterwards
-- cost         see latch.lua
-- include latch/latch.lua
-- include lib/post.lua
local client, number = ARGV[1], tonumber(ARGV[2])

if is_over(client, number) then
  save()
  return count
end
waiters_are_ours()
local opens = count > 0 and count <= tonumber(ARGV[3])
count = math.max(0, count - tonumber(ARGV[3]))
if opens then
  opened = round
end
expires = now + lasts()
save(client, number)
if opens then
  for _, waiter in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. text(now), text(now + WAITER))) do
    post(waiter, 'opened')
  end
  redis.call('DEL', KEYS[2])
end
return count
