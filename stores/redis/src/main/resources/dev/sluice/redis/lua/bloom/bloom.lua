-- bloom.lua    what the scripts of Bloom filters share: reading and writing a header. Java twin: BloomHeader
-- Numbers of 64 bits go through BITFIELD as text, because a Lua number has 53. Epochs and times stay below 2^53.
local EMPTY = string.rep('\0', 64)
local STATE, EPOCH, CHANGED = '#5', 128, 448 -- a byte, and bits, of the string

-- the header's 64 bytes; nil if there is no string, or one without a header
local function header_of(key, place)
  local kind = redis.call('TYPE', key)['ok']
  if kind == 'none' then
    return nil
  end
  if kind ~= 'string' then
    return nil, { err = 'SLUICE<foreign ' .. place .. ' ' .. kind .. '>' }
  end
  local head = redis.call('GETRANGE', key, 0, 63)
  if head == string.sub(EMPTY, 1, #head) then
    return nil
  end
  if string.sub(head, 1, 4) ~= 'SLB\1' or #head < 64 then
    return nil, { err = 'SLUICE<foreign ' .. place .. ' string>' }
  end
  return head
end

local function number_at(head, first)
  local value = 0
  for i = first, first + 7 do
    value = value * 256 + string.byte(head, i)
  end
  return value
end

local function epoch_of(head)
  return head and number_at(head, 17) or 0
end

local function state_of(head)
  return string.byte(head, 6)
end

local function now_micros()
  local clock = redis.call('TIME')
  return clock[1] * 1000000 + clock[2]
end

local function set_number(key, bit, value)
  redis.call('BITFIELD', key, 'SET', 'i64', bit, string.format('%.0f', value))
end
