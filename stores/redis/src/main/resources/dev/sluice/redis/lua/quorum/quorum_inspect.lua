-- quorum_inspect.lua  look at one node's part of a lock without changing it. Java twin: QuorumNode.inspect
-- KEYS[1..6]   see vote.lua
-- ARGV[1..2]   run id, 0
-- reply        {kind, fence, holder, its attempt, token, since us, remaining us, waiter, its attempt, arrival us, ...}; holder '-': none
-- cost         TIME, 2 GET; O(waiting) when somebody waits
-- include quorum/vote.lua
-- include quorum/vote_line.lua
if not member then
  return { NOT_MEMBER, 0, '-', 0, 0, 0, 0 }
end
local reply = { YES, fence, '-', 0, 0, 0, 0 }
if holder then
  reply = { YES, fence, holder.client, holder.attempt, holder.token, holder.since, holder.expires - now }
end
if waiting() > 0 then
  local entries = redis.call('HGETALL', KEYS[3])
  for i = 1, #entries, 2 do
    local number, arrival, dead = string.match(entries[i + 1], '^(%d+) (%d+) (%d+)$')
    if tonumber(dead) > now and tonumber(dead) <= now + HEARTBEAT then
      reply[#reply + 1] = entries[i]
      reply[#reply + 1] = tonumber(number)
      reply[#reply + 1] = tonumber(arrival)
    end
  end
end
return reply
