-- grant.lua    gives units to an attempt; a verb that may do so includes this. Java twin: GrantState
-- KEYS[1]      see state.lua
-- needs: MAX_LEAD, MAX_TOKEN, capacity, fence, grants, now
local function free()
  local out = 0
  for i = 1, #grants do
    out = out + grants[i].units
  end
  return capacity - out
end

-- Java: grant; more than the least only while nobody waits; nil when no token is left
local function grant(client, attempt, ttl, block, least, most, waiting)
  local token = math.max(fence + 1, now)
  if token > MAX_TOKEN then
    return nil
  end
  local units = least
  if most > least and waiting == 0 then
    units = math.min(most, free())
  end
  local room = math.min(MAX_LEAD - (token - now), MAX_TOKEN - token + 1)
  local tokens = math.max(1, math.min(block, room))
  fence = token + tokens - 1
  local given = {
    client = client, attempt = attempt, token = token, block = tokens, expires = now + ttl, ttl = ttl, since = now,
    state = 'H', units = units
  }
  grants[#grants + 1] = given
  return given
end
