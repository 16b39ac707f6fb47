-- stock_take.lua  give queued claims to a consumer. Java twin: SaleState.take
-- KEYS[1..5]   see stock.lua
-- ARGV[1..3]   consumer, most claims (at most 1,000), idle (ms) after which a claim is given again
-- reply        {epoch, and the claims as in stock.lua}
-- cost         O(1) for each; looks through those that were given and are not settled
-- include stock/stock.lua
-- include stock/stock_claims.lua
local reply = { epoch }
if waiting == 0 then
  return reply
end
local consumer, most = ARGV[1], tonumber(ARGV[2])

-- not XAUTOCLAIM, which gives up after ten times as many as it is to find
local function given()
  return redis.pcall('XPENDING', KEYS[4], GROUP, 'IDLE', ARGV[3], '-', '+', most)
end

local pending = given()
if pending.err and string.find(pending.err, 'NOGROUP', 1, true) then
  local made = redis.pcall('XGROUP', 'CREATE', KEYS[4], GROUP, '0', 'MKSTREAM')
  pending = made.err and made or given()
end
if pending.err then
  foreign(4, pending)
end

local entries, stale = {}, {}
if #pending > 0 then
  local places = {}
  for i, one in ipairs(pending) do
    places[i] = one[1]
  end
  local taken = redis.call('XCLAIM', KEYS[4], GROUP, consumer, 0, unpack(places))
  for i = 1, #places do
    if taken[i] then
      entries[#entries + 1] = taken[i]
    elseif taken[i] == false then -- Redis 6.2: somebody deleted the entry
      stale[#stale + 1] = places[i]
    end
  end
end
if #entries < most then
  local new = redis.call('XREADGROUP', 'GROUP', GROUP, consumer, 'COUNT', most - #entries, 'STREAMS', KEYS[4], '>')
  for _, entry in ipairs(new and new[1][2] or {}) do
    entries[#entries + 1] = entry
  end
end

local claimants = {}
for i, entry in ipairs(entries) do
  claimants[i] = entry[2][2]
end
fetch(claimants)
for i, entry in ipairs(entries) do
  local claim = last[claimants[i]]
  if claim and claim.state == QUEUED and place(claim.mark, claim.turn) == entry[1] then
    claim.deliveries, claim.rest = claim.deliveries + 1, consumer
    touch(claimants[i], claim)
    add_row(reply, claimants[i], claim)
  else
    stale[#stale + 1] = entry[1]
  end
end
each(stale, function(...)
  on(4, 'XACK', GROUP, ...)
  on(4, 'XDEL', ...)
end)
write_changed()
return reply
