-- stock_find.lua  the last claim of a claimant. Java twin: SaleState.find
-- KEYS[1..5]   see stock.lua
-- ARGV[1]      claimant
-- reply        {epoch, and the claim as in stock.lua, if there is one}
-- cost         O(log n)
-- include stock/stock.lua
-- include stock/stock_claims.lua
local reply = { epoch }
if epoch == 0 then
  return reply
end
fetch({ ARGV[1] })
local claim = current(ARGV[1])
save()
if claim then
  add_row(reply, ARGV[1], claim)
end
return reply
