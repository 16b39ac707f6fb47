-- quorum_release.lua  end an attempt at one node, and wake who waits longest. Java twin: QuorumNode.release
-- KEYS[1..6]   see vote.lua
-- ARGV[1..3]   run id and client, attempt, whether the client goes on waiting (1) or not (0)
-- reply        see vote.lua; YES if a live entry was freed
-- cost         TIME, 2 GET, SET while nobody waits
-- include quorum/vote.lua
goes_on = true
if not member then
  return { NOT_MEMBER, 0, 0, 0 }
end

local function free()
  if holder and holder.client == client and holder.attempt <= attempt then
    holder = nil
    return YES
  end
  return NO
end

if not queued then
  remember(client, attempt)
  local kind = free()
  save()
  return answer(kind, 0)
end

-- include quorum/vote_line.lua

if ARGV[3] == '0' then
  leave()
end
local _, first = waiting()
remember(client, attempt)
local kind = free()
if kind == YES and first and first ~= client then
  post(first, 'granted')
end
save()
return answer(kind, waiting())
