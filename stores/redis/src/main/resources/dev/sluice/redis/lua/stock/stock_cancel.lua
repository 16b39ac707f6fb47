-- stock_cancel.lua  give up a claim that is held, set aside, or queued and with nobody. Java twin: SaleState.cancel
-- KEYS[1..5]   see stock.lua
-- ARGV[1..2]   claimant, id
-- reply        the state of the claim afterwards, 0 if there is none
-- cost         O(log n)
-- include stock/stock.lua
-- include stock/stock_claims.lua
if epoch == 0 then
  return 0
end
fetch({ ARGV[1] })
local claim = marked(ARGV[1], tonumber(ARGV[2]))
if claim and (claim.state == HELD or claim.state == DEAD_LETTER or claim.state == QUEUED and claim.rest == '') then
  to(CANCELLED, ARGV[1], claim)
end
save()
return claim and claim.state or 0
