-- stock_claim.lua  claim units, one request after the other. Java twin: SaleState.claim
-- KEYS[1..5]   see stock.lua
-- ARGV[1]      for each request: claimant (2 bytes of length), quantity (4), request (1 byte of length); at most 1,000
-- reply        {epoch, left, state of those that are accepted, and for each request: 0 sold out | 1 closed | 2 not loaded |
--              3, id: accepted | 10 + state, id, quantity: claimed already}
-- cost         O(1) for each: the stock is read and written once, a claim is looked for, written and put into the stream
-- include stock.lua
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

local bytes = on(2, 'HMGET', unpack(names))
local open, rest, taken, more_due = is_open(), left(), 0, true
local state = drained == 1 and QUEUED or written()
local due = state == HELD and now + hold or 0
local mine, ids, accepted = {}, {}, {}
local out = 3
for i = 1, count do
  local claimant, quantity = names[i], quantities[i]
  local before = mine[claimant]
  if bytes[i] and last[claimant] == nil then
    last[claimant] = read(bytes[i])
  end
  local own = not before and current(claimant)
  if before then
    reply[out + 1], reply[out + 2], reply[out + 3] = 10 + state, ids[before], quantities[before]
    out = out + 3
  elseif own and (is_live(own.state) or own.request == requests[i]) then
    reply[out + 1], reply[out + 2], reply[out + 3] = 10 + own.state, own.id, own.quantity
    out = out + 3
  elseif not open then
    reply[out + 1] = 1
    out = out + 1
  else
    if rest < quantity and more_due then
      more_due = expire(AT_ONCE) == AT_ONCE
    end
    rest = left() - taken
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
  if state == QUEUED then
    queued, waiting = queued + taken, waiting + #accepted
    -- first of all that is written; an entry without its claim is dropped when it is met
    on(4, 'XADD', ids[accepted[1]], 'c', names[accepted[1]])
    for i = 2, #accepted do
      redis.call('XADD', KEYS[4], ids[accepted[i]], 'c', names[accepted[i]])
    end
  elseif state == HELD then
    held = held + taken
    on(3, 'ZCARD')
  else
    confirmed = confirmed + taken
  end
end
if #accepted > 0 or #changed > 0 then
  write_changed()
  local rows, ends = {}, {}
  for k, i in ipairs(accepted) do
    rows[2 * k - 1] = names[i]
    rows[2 * k] = struct.pack(CLAIM, state, quantities[i], ids[i], now, state == QUEUED and ids[i] or due, 0, 0,
      #requests[i], requests[i])
    if state == HELD then
      ends[2 * k - 1], ends[2 * k] = due, names[i]
    end
  end
  each(ends, function(...) redis.call('ZADD', KEYS[3], ...) end)
  each(rows, function(...) redis.call('HSET', KEYS[2], ...) end)
  save()
end
reply[2], reply[3] = left(), state
return reply
