-- stock_restore.lua  take over what the ledger says. Java twin: SaleState.restore
-- KEYS[1..5]   see stock.lua
-- ARGV[1..2]   orders: claimant (2 bytes of length), id (7), quantity (4), state, request (1 byte of length), at most 1,000; epoch
-- reply        {epoch, restored, settled, and for each conflict the claim as in stock.lua, id 0 if there is none}
-- cost         O(log n) for each
-- include stock/stock.lua
-- include stock/stock_claims.lua
local claimants, orders = {}, {}
local at = 1
while at <= #ARGV[1] do
  local order = {}
  claimants[#claimants + 1], order.id, order.quantity, order.state, order.request, at =
    struct.unpack('>I2c0I7I4BBc0', ARGV[1], at)
  orders[#orders + 1] = order
end
local present = epoch > 0 and epoch == tonumber(ARGV[2])
local restored, settled, conflicts = 0, 0, {}
if present then
  fetch(claimants)
end

local MAX_AHEAD = 31536000000000 -- us; an id follows the clock of the store that gave it
local NOTHING, TAKEN, SETTLED, CONFLICT = 0, 1, 2, 3

-- Java: settle, the private one
local function settle(order, wanted, claimant, claim)
  local live = is_live(claim.state)
  if claim.state == QUEUED or claim.state == wanted or not live and not is_live(wanted) then
    return NOTHING
  end
  if not live and order.state == HELD then
    return CONFLICT
  end
  if claim.state == CONFIRMED and wanted == HELD then
    return NOTHING -- the confirmation is on its way to the ledger
  end
  to(wanted, claimant, claim)
  return live and SETTLED or TAKEN
end

-- Java: restore, the private one
local function restore(order, claimant, claim)
  if order.id > now + MAX_AHEAD then
    return CONFLICT
  end
  last_id = math.max(last_id, order.id)
  local wanted = order.state == HELD and written() or order.state
  if claim and claim.id == order.id then
    return settle(order, wanted, claimant, claim)
  end
  if claim and claim.id > order.id and wanted == CANCELLED then
    return NOTHING -- an order that was given up long ago
  end
  if claim and is_live(claim.state) then
    return CONFLICT
  end
  claims = claims + 1
  if wanted == CANCELLED then
    returned = returned + 1
  end
  local entered = {
    state = wanted, quantity = order.quantity, id = order.id, at = now, mark = wanted == HELD and now + hold or 0, turn = 0,
    deliveries = 0, request = order.request, rest = '',
    was = claim and claim.was, was_mark = claim and claim.was_mark, was_turn = claim and claim.was_turn,
    changed = claim and claim.changed
  }
  last[claimant] = entered
  add(entered, 1)
  touch(claimant, entered)
  return wanted == CANCELLED and SETTLED or TAKEN
end

for i, order in ipairs(orders) do
  local claimant = claimants[i]
  local claim = present and current(claimant) or nil
  local done = present and restore(order, claimant, claim) or CONFLICT
  if done == TAKEN then
    restored = restored + 1
  elseif done == SETTLED then
    settled = settled + 1
  elseif done == CONFLICT then
    add_row(conflicts, claimant, claim or { id = 0, quantity = 0, state = 0, at = 0, deliveries = 0, request = '' })
  end
end
if epoch > 0 then
  save()
end
local reply = { epoch, restored, settled }
for _, part in ipairs(conflicts) do
  reply[#reply + 1] = part
end
return reply
