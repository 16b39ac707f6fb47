-- latch_look.lua   look at a latch, and perhaps wait for it. Java twin: LatchState.look
-- KEYS[1..2]   see latch.lua
-- ARGV[1]      a client that waits, or empty
-- reply        {count, round, opened}
-- cost         see latch.lua
-- include latch/latch.lua
if gone then
  return { 0, 0, 0 }
end
if ARGV[1] ~= '' and count > 0 then
  waiters_are_ours()
  expires = now + keep
  -- those who are gone leave after this one: while its slot moves, a removed key cannot come back
  local known = redis.call('PEXPIRE', KEYS[2], 2 * WAITER / 1000) == 1
  redis.call('ZADD', KEYS[2], text(now + WAITER), ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', text(now))
  if not known then
    redis.call('PEXPIRE', KEYS[2], 2 * WAITER / 1000)
  end
  save()
end
return { count, round, opened }
