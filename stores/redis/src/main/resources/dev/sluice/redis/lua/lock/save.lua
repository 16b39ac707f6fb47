-- save.lua     writes the state, if it is another one. Statements, no function: a function that sees so many names costs a
--              microsecond where it is made, and most calls come here once
-- KEYS[1]      see state.lua
-- needs: FREE, GRANT, HEAD, HEAD_AND_GRANT, HELD, RETENTION, capacity, fence, found, grants, now, over_at, over_attempt, over_client, put, queued, spill
do
  local rest = fence > now and fence - now or 0
  local count, value = #grants, nil
  if count == 0 then
    value = struct.pack(HEAD, FREE, fence, capacity, queued and 1 or 0, spill, over_attempt, over_at,
      #over_client, over_client)
  else
    local g = grants[1]
    value = struct.pack(HEAD_AND_GRANT, HELD, fence, capacity, queued and 1 or 0, spill, over_attempt, over_at,
      #over_client, over_client, count, g.attempt, g.token, g.block, g.units, g.expires, g.ttl, g.since, g.state,
      #g.client, g.client)
    rest = math.max(rest, g.expires - now)
  end
  if count > 1 then
    local parts = { value }
    for i = 2, count do
      local g = grants[i]
      parts[i] = struct.pack(GRANT, g.attempt, g.token, g.block, g.units, g.expires, g.ttl, g.since, g.state,
        #g.client, g.client)
      rest = math.max(rest, g.expires - now)
    end
    value = table.concat(parts)
  end
  if value ~= found then
    put(KEYS[1], value, rest == 0 and '60000' or math.ceil((rest + RETENTION) / 1000))
  end
end
