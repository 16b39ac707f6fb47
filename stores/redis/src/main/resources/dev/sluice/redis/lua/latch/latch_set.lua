-- latch_set.lua   set the count if it is zero. Java twin: LatchState.trySet
-- KEYS[1..2]   see latch.lua
-- ARGV[1..4]   client, number of the request, count (>= 1), keep (us)
-- reply        1 if this request set it, now or when it came before, else 0
-- cost         see latch.lua
-- include latch/latch.lua
local client, number = ARGV[1], tonumber(ARGV[2])

if is_over(client, number) then
  save()
  return setter == client and setter_number == number and 1 or 0
end
waiters_are_ours()
if round == 0 then
  expires = now + RETENTION
end
if count > 0 then
  save(client, number)
  return 0
end
if not gone then
  local entries = redis.call('HGETALL', KEYS[1])
  for i = 1, #entries, 2 do
    local at = entries[i] ~= '-' and tonumber(string.match(entries[i + 1], ' (%d+)$'))
    if at and now - at >= RETENTION then
      redis.call('HDEL', KEYS[1], entries[i])
    end
  end
  redis.call('DEL', KEYS[2])
end
round = math.max(round + 1, now)
count, keep = tonumber(ARGV[3]), tonumber(ARGV[4])
setter, setter_number = client, number
expires = now + keep
save(client, number)
return 1
