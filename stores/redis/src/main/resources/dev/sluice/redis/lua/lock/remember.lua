-- remember.lua an attempt ended: what ended before, of another client, goes to a hash. Java twin: Tombstones.add
-- KEYS[OVER]   see over.lua
-- needs: OVER, RETENTION, foreign, goes_on, last_over, now, over_at, over_attempt, over_client, spill
local function remember(client, attempt)
  attempt = math.max(last_over(client) or 0, attempt)
  if over_client ~= client and over_client ~= '-' and now - over_at < 2 * RETENTION then
    local size = redis.pcall('HLEN', KEYS[OVER])
    if type(size) == 'table' then
      foreign(OVER, size)
    end
    if goes_on then
      redis.call('PEXPIRE', KEYS[OVER], RETENTION / 1000) -- see full.lua
    end
    redis.call('HSET', KEYS[OVER], over_client, string.format('%.0f %.0f', over_attempt, over_at))
    redis.call('PEXPIRE', KEYS[OVER], RETENTION / 1000)
    if spill == 0 or size >= spill then
      -- keeps `over` within twice what is needed, at a constant cost per write
      local entries = redis.call('HGETALL', KEYS[OVER])
      local kept = 0
      for i = 1, #entries, 2 do
        local at = tonumber(string.match(entries[i + 1], ' (%d+)$'))
        if at and now - at < 2 * RETENTION then
          kept = kept + 1
        else
          redis.call('HDEL', KEYS[OVER], entries[i])
        end
      end
      spill = math.max(64, 2 * kept)
    end
  end
  over_client, over_attempt, over_at = client, attempt, now
end
