-- note_replace.lua  write a note that is kept, if it is as expected. Java twin: MemoryNotes.replace
-- KEYS[1]      see note_put.lua; a kept note expires at the end of time
-- ARGV[1..3]   name, length of the expected text or -1 for no note, the expected text and the new one
-- reply        1, or 0 if the note is another one
-- expiry       none: a policy is kept until somebody writes the next one
-- cost         O(1)
-- include lib/foreign.lua
local KEPT, NO_NOTE = '9007199254740991', -1
local length = tonumber(ARGV[2])

local found = redis.pcall('HGET', KEYS[1], ARGV[1])
if type(found) == 'table' then
  foreign(1, found)
end
local present = found and string.match(found, '^%d+ (.*)$')
if found and not present then
  foreign(1, found)
end
local same
if length == NO_NOTE then
  same = not present
else
  same = present == string.sub(ARGV[3], 1, length)
end
if not same then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], KEPT .. ' ' .. string.sub(ARGV[3], math.max(length, 0) + 1))
redis.call('PERSIST', KEYS[1])
return 1
