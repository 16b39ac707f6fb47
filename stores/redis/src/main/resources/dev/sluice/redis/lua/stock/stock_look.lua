-- stock_look.lua  the figures. Java twin: SaleState.look
-- KEYS[1..5]   see stock.lua
-- reply        see stock_sale.lua
-- cost         O(1), and O(log n) for each of up to 1,000 claims that are returned
-- include stock/stock.lua
-- include stock/stock_claims.lua
-- include stock/stock_sale.lua
if epoch > 0 then
  expire(1000)
  save()
end
return sale(epoch > 0)
