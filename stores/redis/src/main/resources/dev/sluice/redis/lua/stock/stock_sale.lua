-- stock_sale.lua  the present sale, as the verbs that are about it answer
-- reply        {done, epoch, total, hold us, drained, opens s, rest us, closes s, rest us, open, left, queued, held, confirmed,
--              set aside, claims, returned, waiting, lag us}; epoch 0: there is none
-- needs: aside, claims, closes, closes_rest, confirmed, drained, epoch, fetch, foreign, held, hold, is_open, last, left, now
-- needs: opens, opens_rest, queued, returned, total, waiting
-- Java: reply; the oldest queued claim is the first of the stream
local function lag()
  if waiting == 0 then
    return 0
  end
  local found = redis.pcall('XREAD', 'COUNT', 1, 'STREAMS', KEYS[4], '0')
  if not found then
    return 0
  end
  if found.err then
    foreign(4, found)
  end
  local claimant = found[1][2][1][2][2]
  fetch({ claimant })
  return last[claimant] and math.max(0, now - last[claimant].at) or 0
end

local function sale(done)
  return { done and 1 or 0, epoch, total, hold, drained, opens, opens_rest, closes, closes_rest, is_open() and 1 or 0,
    left(), queued, held, confirmed, aside, claims, returned, waiting, lag() }
end
