-- permit_inspect.lua  look at a name without changing it. Java twin: GrantState.inspect
-- KEYS[1..3]   see permit.lua
-- reply        {fence, capacity, grants, client, attempt, units, token, since us, remaining us, ..., waiter, its attempt, its least, ...}
-- cost         TIME, GET
-- include lock/permit.lua
-- include lock/permit_line.lua
local reply = { fence, capacity, #grants }
for _, g in ipairs(grants) do
  for _, part in ipairs({ g.client, g.attempt, g.units, g.token, g.since, g.expires - now }) do
    reply[#reply + 1] = part
  end
end
for place = 1, waiting() do
  local t = line[place]
  if t.dead > now and t.dead <= now + HEARTBEAT then
    for _, part in ipairs({ t.client, t.attempt, t.least }) do
      reply[#reply + 1] = part
    end
  end
end
return reply
