-- over.lua     attempts that ended: the last client's in the state, others' in a hash. Java twin: Tombstones
-- KEYS[OVER]   client -> "attempt at", ended attempts of clients other than the last; touched only when there are such
-- needs: foreign, now, OVER, over_at, over_attempt, over_client, RETENTION, spill
-- Java: covers; what is forgotten is left out
local function last_over(client)
  local attempt, at
  if client == over_client then
    attempt, at = over_attempt, over_at
  elseif spill > 0 then
    local entry = redis.pcall('HGET', KEYS[OVER], client)
    if entry then
      if type(entry) == 'table' then
        foreign(OVER, entry)
      end
      attempt, at = string.match(entry, '^(%d+) (%d+)$')
      attempt, at = tonumber(attempt), tonumber(at)
      if not attempt then
        foreign(OVER, entry)
      end
    end
  end
  return attempt and now - at < RETENTION and attempt or nil
end
