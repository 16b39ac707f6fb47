-- stock_claims.lua  claims of one stock as a step changes them, and how they are written back
-- needs: aside, CLAIM, confirmed, CONFIRMED, foreign, held, HELD, hold, now, on, QUEUED, queued, returned, RETURNED
-- needs: save_stock, DEAD_LETTER, waiting
local GROUP = 'drain'
local MANY = 2000

local function read(bytes)
  local ok, state, quantity, id, at, mark, turn, deliveries, request, stop = pcall(struct.unpack, CLAIM, bytes)
  if not ok or state < QUEUED or state > DEAD_LETTER then
    foreign(2, bytes)
  end
  return {
    state = state, quantity = quantity, id = id, at = at, mark = mark, turn = turn, deliveries = deliveries,
    request = request, rest = string.sub(bytes, stop),
    was = state, was_mark = mark, was_turn = turn
  }
end

local last = {} -- by claimant, as they are in this step; false: there is none
local changed = {} -- claimants, each once

-- up to 1,000
local function fetch(claimants)
  local bytes = #claimants > 0 and on(2, 'HMGET', unpack(claimants)) or {}
  for i, claimant in ipairs(claimants) do
    if last[claimant] == nil then
      last[claimant] = bytes[i] and read(bytes[i])
    end
  end
end

-- Java: add
local function add(claim, sign)
  local state, units = claim.state, sign * claim.quantity
  if state == QUEUED then
    queued, waiting = queued + units, waiting + sign
  elseif state == HELD then
    held = held + units
  elseif state == CONFIRMED then
    confirmed = confirmed + units
  elseif state == DEAD_LETTER then
    aside = aside + units
  end
end

local function is_live(state)
  return state <= CONFIRMED or state == DEAD_LETTER
end

local function touch(claimant, claim)
  if not claim.changed then
    claim.changed = true
    changed[#changed + 1] = claimant
  end
end

-- Java: move; a claim in another state, with nobody
local function to(state, claimant, claim, rest)
  add(claim, -1)
  local was = is_live(claim.state)
  claim.state, claim.mark, claim.turn, claim.rest = state, 0, 0, rest or ''
  if state == HELD then
    claim.mark = now + hold
  end
  add(claim, 1)
  if was and not is_live(state) then
    returned = returned + 1
  elseif is_live(state) and not was then
    returned = returned - 1
  end
  touch(claimant, claim)
end

-- Java: last; of a claimant that was fetched
local function current(claimant)
  local claim = last[claimant]
  if claim and claim.state == HELD and claim.mark <= now then
    to(RETURNED, claimant, claim)
  end
  return claim
end

-- Java: marked
local function marked(claimant, id)
  local claim = current(claimant)
  return claim and claim.id == id and claim or nil
end

-- Java: expire; goes on behind what it has met in this step
local swept = 0
local function expire(most)
  local count = 0
  while held > 0 and count < most do
    local names = on(3, 'ZRANGEBYSCORE', '-inf', now, 'LIMIT', swept, most - count)
    if #names == 0 then
      break
    end
    swept = swept + #names
    fetch(names)
    for _, claimant in ipairs(names) do
      local claim = last[claimant]
      if claim and claim.state == HELD and claim.mark <= now then
        to(RETURNED, claimant, claim)
        count = count + 1
      end
    end
  end
  return count
end

local function pack(claim)
  return struct.pack(CLAIM, claim.state, claim.quantity, claim.id, claim.at, claim.mark, claim.turn, claim.deliveries,
    #claim.request, claim.request) .. claim.rest
end

local function place(mark, turn)
  return string.format('%.0f-%.0f', mark, turn)
end

-- as many as a call can be given at once
local function each(list, call)
  for from = 1, #list, MANY do
    call(unpack(list, from, math.min(from + MANY - 1, #list)))
  end
end

local function check(index, command, ...)
  for i = 1, select('#', ...) do
    if #select(i, ...) > 0 then
      on(index, command)
      return
    end
  end
end

-- what changed, and ends of holds that begin, written: first what is looked for elsewhere than in the claims themselves. To each
-- set is added before anything leaves it: while its slot moves, a removed key cannot come back
local function write_changed(ends)
  if #changed == 0 and not ends then
    return
  end
  local left_due, due, left_aside, aside_now, settled, queue, rows = {}, ends or {}, {}, {}, {}, {}, {}
  local begins = {}
  for i = 2, #due, 2 do
    begins[due[i]] = true
  end
  for _, claimant in ipairs(changed) do
    local claim = last[claimant]
    local state, was = claim.state, claim.was
    if was == HELD and state ~= HELD then
      if not begins[claimant] then -- or the hold that begins would have no end
        left_due[#left_due + 1] = claimant
      end
    elseif was == DEAD_LETTER and state ~= DEAD_LETTER then
      left_aside[#left_aside + 1] = claimant
    elseif was == QUEUED and state ~= QUEUED then
      settled[#settled + 1] = place(claim.was_mark, claim.was_turn)
    end
    if state == HELD then
      due[#due + 1] = claim.mark
      due[#due + 1] = claimant
    elseif state == DEAD_LETTER then
      aside_now[#aside_now + 1] = claim.id
      aside_now[#aside_now + 1] = claimant
    elseif state == QUEUED and was ~= QUEUED then
      queue[#queue + 1] = claimant
    end
  end
  check(3, 'ZCARD', left_due, due)
  check(4, 'XLEN', settled, queue)
  check(5, 'ZCARD', left_aside, aside_now)
  each(settled, function(...)
    on(4, 'XACK', GROUP, ...)
    on(4, 'XDEL', ...)
  end)
  each(aside_now, function(...) on(5, 'ZADD', ...) end)
  each(left_aside, function(...) on(5, 'ZREM', ...) end)
  each(due, function(...) on(3, 'ZADD', ...) end)
  each(left_due, function(...) on(3, 'ZREM', ...) end)
  for _, claimant in ipairs(queue) do
    -- behind everything that is queued: an id must be higher than all before it, so it is not the claim's own
    local mark, turn = string.match(on(4, 'XADD', '*', 'c', claimant), '^(%d+)-(%d+)$')
    last[claimant].mark, last[claimant].turn = tonumber(mark), tonumber(turn)
  end
  for i, claimant in ipairs(changed) do
    rows[2 * i - 1], rows[2 * i] = claimant, pack(last[claimant])
  end
  each(rows, function(...) on(2, 'HSET', ...) end)
  changed = {}
end

local function save()
  write_changed()
  save_stock()
end

-- {id, quantity, state, at, deliveries, claimant, request}
local function add_row(reply, claimant, claim)
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3], reply[n + 4], reply[n + 5] =
    claim.id, claim.quantity, claim.state, claim.at, claim.deliveries
  reply[n + 6], reply[n + 7] = claimant, claim.request
end
