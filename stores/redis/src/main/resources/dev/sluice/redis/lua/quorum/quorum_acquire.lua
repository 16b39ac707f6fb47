-- quorum_acquire.lua  round 1 at one node: enter the attempt, and take the proposed token if it is higher than all before. Java twin: QuorumNode.acquire
-- KEYS[1..6]   see vote.lua
-- ARGV[1..6]   run id and client, attempt, ttl (us), proposed token, block (tokens, >= 1), wait (1) or not (0)
-- reply        see vote.lua; a repeated request is not told YES because of the fence: another may have raised it to the same
-- cost         TIME, 2 GET, SET, HSET while nobody waits, 2 HGET for a name without a vote; now and then the SET of the node's record
-- include quorum/vote.lua
local ttl, token, block, waits = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6] == '1'

if not member then
  return { NOT_MEMBER, 0, 0, 0 }
end
if ttl > max_ttl then
  error('SLUICE<ttl ' .. string.format('%.0f', max_ttl) .. '>', 0)
end
local ended = last_over(client)
local is_over = ended and ended >= attempt

local function enter()
  if holder then
    holder.ttl = math.max(holder.ttl, ttl)
    holder.expires = math.max(holder.expires, now + ttl)
  else
    holder = {
      client = client, attempt = attempt, token = 0, block = 0, units = 1,
      expires = now + ttl, ttl = ttl, since = now, state = 'H'
    }
  end
  local kind = ENTERED
  if effective() < token then
    raise(token, block)
    kind = YES
  end
  save()
  return kind
end

if not queued and not holder and not is_over then
  return answer(enter(), 0)
end

-- include quorum/vote_line.lua

if is_over or (holder and holder.client == client and holder.attempt > attempt) then
  return answer(ENDED, waiting())
end
if holder and holder.client ~= client then
  if waits then
    wait()
  end
  local count, first = waiting()
  if holder.state == 'H' or first == client then -- who waits longest repeats it: a message may be lost
    holder.state = 'W'
    post(holder.client, 'wanted')
  end
  save()
  return answer(NO, count)
end
leave()
if holder and holder.attempt < attempt then
  remember(client, holder.attempt)
  holder = nil
end
return answer(enter(), waiting())
