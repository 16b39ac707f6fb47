-- stock_resize.lua  change how many units a sale has. Java twin: SaleState.resize
-- KEYS[1..5]   see stock.lua
-- ARGV[1..2]   epoch, total
-- reply        see stock_sale.lua
-- cost         O(1)
-- include stock/stock.lua
-- include stock/stock_claims.lua
-- include stock/stock_sale.lua
local present = tonumber(ARGV[1]) == epoch
if present then
  total = tonumber(ARGV[2])
  save()
end
return sale(present)
