-- stock.lua    the state of one stock, read and written; every verb of stock includes this first. Java twin: SaleState
-- KEYS[1]      stock: one string, see docs/stored-formats.md
-- KEYS[2]      claims: each claimant's last claim, a string in a hash
-- KEYS[3]      due: claimants whose claim is held, scored by the end of the hold
-- KEYS[4]      drain: a stream of queued claims; its group has those that a consumer was given
-- KEYS[5]      aside: claimants whose claim is a dead letter, scored by its id
-- time         the server's TIME, read once; below 2^53, as all numbers are: commands are given all of their digits
-- expiry       of claims and drain: RETENTION ms after the last change once the sale is over and every claim final or given up. The
--              stock itself stays: a sale that was forgotten would be opened again by the next instance that starts
-- full memory  refuses claims; what gives units back begins with a deletion, and so passes
local RETENTION = 2592000000
local QUEUED, HELD, CONFIRMED, CANCELLED, RETURNED, DEAD_LETTER = 1, 2, 3, 4, 5, 6

-- a claim: state, quantity, id, at, mark, turn, deliveries, request, rest. A queued one's place in the stream is "mark-turn", and
-- its rest is the consumer; a held one is due at its mark; the rest of a dead letter is the reason
local CLAIM = '>BI4I7I7I7I4I4Bc0'

local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]

-- include lib/foreign.lua

local function on(index, command, ...)
  local reply = redis.pcall(command, KEYS[index], ...)
  if type(reply) == 'table' and reply.err then
    foreign(index, reply)
  end
  return reply
end

-- the window's moments may lie beyond 2^53 us, so they are seconds and a rest
local STOCK, KIND = '>BBBBI7I7I7I7I5I3I5I3I7I7I7I7I7I7I7I7', 5
local closed, drained, resting, epoch, first, total, hold = 0, 0, 0, 0, 0, 0, 0
local opens, opens_rest, closes, closes_rest = 0, 0, 0, 0
local last_id, queued, held, confirmed, aside, claims, returned, waiting = 0, 0, 0, 0, 0, 0, 0, 0
local found = redis.pcall('GET', KEYS[1])
if found then
  if type(found) == 'table' or #found ~= 104 or string.byte(found) ~= KIND then
    foreign(1, found)
  end
  local kind
  kind, closed, drained, resting, epoch, first, total, hold, opens, opens_rest, closes, closes_rest,
    last_id, queued, held, confirmed, aside, claims, returned, waiting = struct.unpack(STOCK, found)
end

local function left()
  return total - queued - held - confirmed - aside
end

local function is_over()
  return closed == 1 or now >= closes * 1000000 + closes_rest
end

local function is_open()
  return epoch > 0 and now >= opens * 1000000 + opens_rest and not is_over()
end

-- Java: written
local function written()
  return hold == 0 and CONFIRMED or HELD
end

-- Java: isSettled
local function is_settled()
  return queued == 0 and held == 0 and aside == 0 and is_over()
end

-- Java: header
local function save_stock()
  local rested = resting == 1
  resting = is_settled() and 1 or 0
  local value = struct.pack(STOCK, KIND, closed, drained, resting, epoch, first, total, hold,
    opens, opens_rest, closes, closes_rest, last_id, queued, held, confirmed, aside, claims, returned, waiting)
  if value == found then
    return
  end
  on(1, 'SET', value)
  if claims == 0 then
    return -- a sale that begins has removed those of the one before
  end
  if resting == 1 then
    redis.call('PEXPIRE', KEYS[2], RETENTION)
    redis.call('PEXPIRE', KEYS[4], RETENTION)
  elseif rested then
    redis.call('PERSIST', KEYS[2])
    redis.call('PERSIST', KEYS[4])
  end
end
