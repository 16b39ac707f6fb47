-- foreign.lua  refuses what is not ours, before anything is written. Java: ForeignDataException
-- foreign      (index in KEYS, what a failed call answered or the bytes that are not ours)
-- raises       the error SLUICE<foreign i what>: the key by its place, and what it holds
local function foreign(index, reply)
  local what
  if type(reply) == 'string' then
    what = "text '" .. string.gsub(string.sub(reply, 1, 40), '[%c<>\128-\255]', '?') .. "'"
  elseif string.find(reply.err, 'WRONGTYPE', 1, true) then
    what = redis.call('TYPE', KEYS[index]).ok
  else
    error(reply.err, 0)
  end
  error('SLUICE<foreign ' .. index .. ' ' .. what .. '>', 0)
end
