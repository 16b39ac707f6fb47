-- stock_expire.lua  return claims whose hold is over. Java twin: SaleState.expire
-- KEYS[1..5]   see stock.lua
-- ARGV[1]      most claims, at most 1,000
-- reply        how many were returned
-- cost         O(log n) for each
-- include stock/stock.lua
-- include stock/stock_claims.lua
if epoch == 0 then
  return 0
end
local count = expire(tonumber(ARGV[1]))
save()
return count
