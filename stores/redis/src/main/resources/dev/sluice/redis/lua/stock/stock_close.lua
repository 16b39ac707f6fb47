-- stock_close.lua  end a sale. Java twin: SaleState.close
-- KEYS[1..5]   see stock.lua
-- ARGV[1]      epoch
-- reply        see stock_sale.lua
-- cost         O(1)
-- include stock/stock.lua
-- include stock/stock_claims.lua
-- include stock/stock_sale.lua
local present = tonumber(ARGV[1]) == epoch
if present then
  closed = 1
  save()
end
return sale(present)
