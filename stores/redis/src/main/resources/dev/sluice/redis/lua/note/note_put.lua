-- note_put.lua  leave a note on a board. Java twin: MemoryNotes.put
-- KEYS[1]      hash: name of each note to "expires text"; expires in microseconds, by the server's clock
-- ARGV[1..4]   name, its life (us), most notes of a board, the text
-- reply        1, or 0 if the board is full
-- expiry       two hours after the last note, a life being an hour at most; a reader drops what is over before
-- cost         O(1); O(notes) when the board is full
-- include lib/foreign.lua
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local size = redis.pcall('HLEN', KEYS[1])
if type(size) == 'table' then
  foreign(1, size)
end
local over = {}
if size >= tonumber(ARGV[3]) and not redis.call('HGET', KEYS[1], ARGV[1]) then
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    local expires = tonumber(string.match(all[i + 1], '^(%d+) '))
    if not expires then
      foreign(1, all[i + 1])
    end
    if expires <= now then
      over[#over + 1] = all[i]
    end
  end
  if size - #over >= tonumber(ARGV[3]) then
    return 0
  end
  redis.call('PEXPIRE', KEYS[1], 7200000) -- writes, as a removal would: what follows passes at full memory
end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now + tonumber(ARGV[2])) .. ' ' .. ARGV[4])
redis.call('PEXPIRE', KEYS[1], 7200000)
-- last: while its slot moves, a removed key cannot come back
for _, name in ipairs(over) do
  redis.call('HDEL', KEYS[1], name)
end
return 1
