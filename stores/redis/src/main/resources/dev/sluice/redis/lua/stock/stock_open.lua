-- stock_open.lua  begin a sale. Java twin: SaleState.open
-- KEYS[1..5]   see stock.lua
-- ARGV[1..8]   epoch, total, hold (us), drained 0|1, opens (s, rest us), closes (s, rest us)
-- reply        see stock_sale.lua
-- cost         O(1), and O(claims) in the background for those of the sale before
-- include stock/stock.lua
-- include stock/stock_claims.lua
-- include stock/stock_sale.lua
local IDLE = 3600000
local asked = {}
for i = 1, 8 do
  asked[i] = tonumber(ARGV[i])
end

expire(1000)
local begins = epoch == 0 or asked[1] > epoch and is_settled()
if begins then
  on(2, 'HLEN')
  on(3, 'ZCARD')
  on(4, 'XLEN')
  on(5, 'ZCARD')
  redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4], KEYS[5])
  last, changed = {}, {}
  epoch, first, hold, drained, opens, opens_rest, closes, closes_rest = unpack(asked)
  total, closed, claims, returned, waiting = first, 0, 0, 0, 0
  queued, held, confirmed, aside = 0, 0, 0, 0
end

-- each process that drained under a name of its own left that behind
local consumers = drained == 1 and not begins and redis.pcall('XINFO', 'CONSUMERS', KEYS[4], GROUP) or {}
if consumers.err then
  if not string.find(string.lower(consumers.err), 'no such', 1, true) then
    foreign(4, consumers)
  end
  consumers = {} -- nobody has drained yet
end
for _, consumer in ipairs(consumers) do
  local about = {}
  for i = 1, #consumer, 2 do
    about[consumer[i]] = consumer[i + 1]
  end
  if about.pending == 0 and about.idle > IDLE then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[4], GROUP, about.name)
  end
end

save()
return sale(asked[1] == epoch and asked[2] == first and asked[3] == hold and asked[4] == drained
  and asked[5] == opens and asked[6] == opens_rest and asked[7] == closes and asked[8] == closes_rest)
