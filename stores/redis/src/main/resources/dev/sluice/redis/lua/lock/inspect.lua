-- inspect.lua  look at a lock without changing it. Java twin: GrantState.inspect
-- KEYS[1..4]   see state.lua
-- alone        see state.lua
-- reply        {fence, holds 0|1, client, attempt, token, since us, remaining us, waiter, its attempt, waiter, ...}
-- cost         TIME, GET; O(waiting) when somebody waits
-- include lock/state.lua
-- include lock/queue.lua

local reply = { fence, 0, '', 0, 0, 0, 0 }
if holder then
  reply = { fence, 1, holder.client, holder.attempt, holder.token, holder.since, holder.expires - now }
end
if waiting() > 0 then
  for _, client in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    local mine = ticket(client)
    if mine and mine.dead > now and mine.dead <= now + HEARTBEAT then
      reply[#reply + 1] = client
      reply[#reply + 1] = mine.attempt
    end
  end
end
return reply
