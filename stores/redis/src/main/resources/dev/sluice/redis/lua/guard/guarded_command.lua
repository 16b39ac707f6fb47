-- guarded_command.lua  one command of the server's own, behind guard.lua
-- KEYS[1..n]           the keys, which come first
-- ARGV[1]              the command
-- ARGV[2..]            what stands behind its keys
-- reply                the command's
local words = { ARGV[1] }
for i = 1, #KEYS do
  words[1 + i] = KEYS[i]
end
for i = 2, #ARGV do
  words[#words + 1] = ARGV[i]
end
return redis.call(unpack(words))
