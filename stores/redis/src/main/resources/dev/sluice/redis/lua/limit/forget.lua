-- forget.lua   what was spent, or a queue, as if it had never been
-- KEYS[1..n]   whatever they hold
-- reply        how many there were
-- cost         one DEL
return redis.call('DEL', unpack(KEYS))
