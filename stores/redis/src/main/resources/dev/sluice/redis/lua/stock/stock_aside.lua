-- stock_aside.lua  dead letters, the oldest first. Java twin: SaleState.deadLetters
-- KEYS[1..5]   see stock.lua
-- ARGV[1]      most claims
-- reply        {epoch, and the claims as in stock.lua, each with the reason behind it}
-- cost         O(1) for each
-- include stock/stock.lua
-- include stock/stock_claims.lua
local reply = { epoch }
if aside == 0 then
  return reply
end
local claimants = on(5, 'ZRANGE', 0, tonumber(ARGV[1]) - 1)
for from = 1, #claimants, 1000 do
  fetch({ unpack(claimants, from, math.min(from + 999, #claimants)) })
end
for _, claimant in ipairs(claimants) do
  local claim = last[claimant]
  if claim and claim.state == DEAD_LETTER then
    add_row(reply, claimant, claim)
    reply[#reply + 1] = claim.rest
  end
end
return reply
