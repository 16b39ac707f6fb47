-- common_buyers.lua  who bought in both of two sales
-- KEYS[1..2]  the buyers of each, sets
-- ARGV[1]     most names in the reply
-- reply       {how many, a name, a name ...}
-- cost        O(size of the smaller set); the server does nothing else meanwhile
local common = redis.call('SINTER', KEYS[1], KEYS[2])
local reply = { #common }
for i = 1, math.min(#common, tonumber(ARGV[1])) do
  reply[i + 1] = common[i]
end
return reply
