-- stock_claim.lua  claim units, one request after the other. Java twin: SaleState.claim
-- KEYS[1..5]   see stock.lua
-- ARGV[1]      for each request: claimant (2 bytes of length), quantity (4), request (1 byte of length); at most 1,000
-- reply        {epoch, left, state of those that are accepted, and for each request: 0 sold out | 1 closed | 2 not loaded |
--              3, id: accepted | 10 + state, id, quantity: claimed already}
-- cost         O(1) for each: the stock is read and written once, a claim is looked for, written and put into the stream
-- include stock/stock.lua
local AT_ONCE = 16
local names, quantities, requests = {}, {}, {}
local all, at, count = ARGV[1], 1, 0
while at <= #all do
  count = count + 1
  names[count], quantities[count], requests[count], at = struct.unpack('>I2c0I4Bc0', all, at)
end

local reply = { epoch, 0, 0 }
if epoch == 0 then
  for i = 1, count do
    reply[i + 3] = 2
  end
  return reply
end

-- made when it is first needed: most claimants have no claim yet, and most stocks are not short
local made
local function others()
  if not made then
-- include stock/stock_claims.lua
    made = { read = read, last = last, current = current, expire = expire, write_changed = write_changed }
  end
  return made
end

local bytes = on(2, 'HMGET', unpack(names))
local open, rest, taken, more_due = is_open(), left(), 0, true
local state = drained == 1 and QUEUED or written()
local due = state == HELD and now + hold or 0
local mine, ids, accepted = {}, {}, {}
local out = 3
for i = 1, count do
  local claimant, quantity = names[i], quantities[i]
  local before, own = mine[claimant], nil
  if not before and bytes[i] then
    local last = others().last
    last[claimant] = last[claimant] or made.read(bytes[i])
    own = made.current(claimant)
  end
  if before then
    reply[out + 1], reply[out + 2], reply[out + 3] = 10 + state, ids[before], quantities[before]
    out = out + 3
  elseif own and (own.state <= CONFIRMED or own.state == DEAD_LETTER or own.request == requests[i]) then
    reply[out + 1], reply[out + 2], reply[out + 3] = 10 + own.state, own.id, own.quantity
    out = out + 3
  elseif not open then
    reply[out + 1] = 1
    out = out + 1
  else
    if made then -- somebody's units may have come back
      rest = left() - taken
    end
    if rest < quantity and more_due and held > 0 then
      more_due = others().expire(AT_ONCE) == AT_ONCE
      rest = left() - taken
    end
    if rest < quantity then
      reply[out + 1] = 0
      out = out + 1
    else
      last_id = math.max(last_id + 1, now)
      rest, taken = rest - quantity, taken + quantity
      mine[claimant], ids[i], accepted[#accepted + 1] = i, last_id, i
      reply[out + 1], reply[out + 2] = 3, last_id
      out = out + 2
    end
  end
end

if #accepted > 0 then
  claims = claims + #accepted
  local rows, ends = {}, {}
  for k, i in ipairs(accepted) do
    local id = ids[i]
    rows[2 * k - 1] = names[i]
    rows[2 * k] = struct.pack(CLAIM, state, quantities[i], id, now, state == QUEUED and id or due, 0, 0, #requests[i], requests[i])
    if state == QUEUED then
      -- first of all that is written; an entry without its claim is dropped when it is met
      on(4, 'XADD', id, 'c', names[i])
    elseif state == HELD then
      ends[2 * k - 1], ends[2 * k] = due, names[i]
    end
  end
  if state == QUEUED then
    queued, waiting = queued + taken, waiting + #accepted
  elseif state == HELD then
    held = held + taken
    on(3, 'ZCARD')
  else
    confirmed = confirmed + taken
  end
  if made then
    made.write_changed(ends)
  elseif state == HELD then
    redis.call('ZADD', KEYS[3], unpack(ends))
  end
  redis.call('HSET', KEYS[2], unpack(rows))
  save_stock()
elseif made then
  made.write_changed()
  save_stock()
end
reply[2], reply[3] = left(), state
return reply
