-- quorum_knock.lua  ask to become a member again: leave a rejoin id, unless one stands for this run of the server. Java twin: QuorumNode.knock
-- KEYS[1..2]   see node.lua
-- ARGV[1..2]   run id and rejoin id; whether the server keeps every write (1): then its record is true as it is
-- reply        {member 0|1, has a record 0|1, longest ttl us, the id that stands}
-- cost         2 GET, at most one SET
-- include quorum/node.lua
if marker ~= run and record and ARGV[2] == '1' then
  marker = run
  save()
end
if marker == run then
  return { 1, 1, max_ttl, '-' }
end
local standing = redis.pcall('GET', KEYS[2])
if type(standing) == 'table' then
  foreign(2, standing)
end
if not standing or string.sub(standing, 1, 40) ~= run then
  standing = ARGV[1]
  redis.call('SET', KEYS[2], standing)
end
return { 0, record and 1 or 0, max_ttl, string.sub(standing, 41) }
