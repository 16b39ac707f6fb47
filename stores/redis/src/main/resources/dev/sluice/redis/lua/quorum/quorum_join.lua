-- quorum_join.lua  become a member, if the rejoin id still stands. Java twin: QuorumNode.join
-- KEYS[1..2]   see node.lua
-- ARGV[1..3]   run id and rejoin id, floor (what was learnt), longest ttl (us)
-- reply        1 if the node is a member now, else 0
-- cost         2 GET, SET, DEL
-- include quorum/node.lua
if marker == run then
  return 1
end
local standing = redis.pcall('GET', KEYS[2])
if type(standing) == 'table' then
  foreign(2, standing)
end
if standing ~= ARGV[1] then
  return 0
end
high = math.max(high, tonumber(ARGV[2]))
before, floor, turned, max_ttl = high, high, 0, math.max(max_ttl, tonumber(ARGV[3]))
save()
redis.call('DEL', KEYS[2])
return 1
