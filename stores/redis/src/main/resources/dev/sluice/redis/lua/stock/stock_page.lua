-- stock_page.lua  some of the last claims
-- KEYS[1..5]   see stock.lua
-- ARGV[1..2]   cursor of HSCAN, about how many
-- reply        {epoch, next cursor or nothing, and the claims as in stock.lua}
-- cost         O(1) for each
-- include stock/stock.lua
-- include stock/stock_claims.lua
if epoch == 0 then
  return { 0, '' }
end
local page = on(2, 'HSCAN', ARGV[1], 'COUNT', ARGV[2])
local reply = { epoch, page[1] == '0' and '' or page[1] }
for i = 1, #page[2], 2 do
  local claim = read(page[2][i + 1])
  if claim.state == HELD and claim.mark <= now then
    claim.state = RETURNED -- as everybody sees it who asks for it
  end
  add_row(reply, page[2][i], claim)
end
return reply
