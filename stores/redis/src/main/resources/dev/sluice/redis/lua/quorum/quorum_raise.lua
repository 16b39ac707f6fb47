-- quorum_raise.lua  round 2 at one node: the token that is higher than all seen, if the entry is still this attempt's. Java twin: QuorumNode.raise
-- KEYS[1..6]   see vote.lua
-- ARGV[1..4]   run id and client, attempt, proposed token, block (tokens, >= 1)
-- reply        see vote.lua
-- cost         TIME, 2 GET, SET, HSET; now and then the SET of the node's record
-- include quorum/vote.lua
-- include quorum/vote_line.lua
local token, block = tonumber(ARGV[3]), tonumber(ARGV[4])

if not member then
  return { NOT_MEMBER, 0, 0, 0 }
end
if not mine() then
  return answer(NO, waiting())
end
if effective() >= token then
  return answer(ENTERED, waiting())
end
raise(token, block)
save()
return answer(YES, waiting())
