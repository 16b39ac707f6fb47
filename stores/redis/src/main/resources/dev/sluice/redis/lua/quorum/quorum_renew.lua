-- quorum_renew.lua  lengthen the entry of one attempt; where nobody has an entry, enter it again. Java twin: QuorumNode.renew
-- KEYS[1..6]   see vote.lua
-- ARGV[1..3]   run id and client, attempt, ttl (us)
-- reply        see vote.lua; ENTERED does not count for the majority: the entry was gone
-- cost         TIME, 2 GET, SET while nobody waits
-- include quorum/vote.lua
-- include quorum/vote_line.lua
goes_on = true
local ttl = tonumber(ARGV[3])

if not member then
  return { NOT_MEMBER, 0, 0, 0 }
end
if ttl > max_ttl then
  error('SLUICE<ttl ' .. string.format('%.0f', max_ttl) .. '>', 0)
end
local kind = YES
if not holder then
  local ended = last_over(client)
  if ended and ended >= attempt then
    return answer(NO, waiting())
  end
  holder = {
    client = client, attempt = attempt, token = 0, block = 0, units = 1,
    expires = now + ttl, ttl = ttl, since = now, state = 'H'
  }
  kind = ENTERED
elseif not mine() then
  return answer(NO, waiting())
end
waiting()
holder.state = 'H'
holder.ttl = math.max(holder.ttl, ttl)
holder.expires = math.max(holder.expires, now + ttl)
save()
return answer(kind, waiting())
