-- inspect.lua  look at a name without changing it. Java twin: GrantState.inspect
-- KEYS[1..4]   see state.lua
-- alone        see state.lua
-- reply        {fence, capacity, grants, client, attempt, units, token, since us, remaining us, ..., waiter, its attempt, its least, ...}
-- cost         TIME, GET; O(waiting) when somebody waits
-- include lock/state.lua
-- include lock/grant.lua
-- include lock/queue.lua
local reply = { fence, capacity, #grants }
for _, g in ipairs(grants) do
  for _, part in ipairs({ g.client, g.attempt, g.units, g.token, g.since, g.expires - now }) do
    reply[#reply + 1] = part
  end
end
if waiting() > 0 then
  for _, client in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    local waits = ticket(client)
    if waits and is_live(waits) then
      for _, part in ipairs({ client, waits.attempt, waits.least }) do
        reply[#reply + 1] = part
      end
    end
  end
end
return reply
