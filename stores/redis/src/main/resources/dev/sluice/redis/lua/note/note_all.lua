-- note_all.lua  read a board, and drop what is over. Java twin: MemoryNotes.all
-- KEYS[1]      see note_put.lua
-- reply        {name, text, name, text, ...} of the notes whose time is not over
-- cost         O(notes)
-- include lib/foreign.lua
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local all = redis.pcall('HGETALL', KEYS[1])
if all.err then
  foreign(1, all)
end
local reply, over = {}, {}
for i = 1, #all, 2 do
  local expires, text = string.match(all[i + 1], '^(%d+) (.*)$')
  if not expires then
    foreign(1, all[i + 1])
  end
  if tonumber(expires) > now then
    reply[#reply + 1] = all[i]
    reply[#reply + 1] = text
  else
    over[#over + 1] = all[i]
  end
end
for _, name in ipairs(over) do
  redis.call('HDEL', KEYS[1], name)
end
return reply
