-- acquire.lua  take the lock, or queue for it, or poll. Java twin: GrantState.acquire
-- KEYS[1..4]   see state.lua
-- alone        see state.lua
-- ARGV[1..5]   client, attempt, ttl (us), block (tokens, >= 1), queue (1) or not (0)
-- reply        {0} over | {1, token, block, remaining us, waiting} granted | {2, remaining us} busy |
--              {3, position, remaining us} queued; then the attempt of the same client whose live grant this one ended, if any
-- cost         TIME, GET, SET while nobody waits; O(log waiting) otherwise
-- include lock/state.lua
local client, attempt, ttl, block = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local wants_queue = ARGV[5] == '1'

local ended = last_over(client)
if ended and ended >= attempt then
  return { 0 }
end

local function granted(waiting)
  return { 1, holder.token, holder.block, holder.expires - now, waiting }
end

local function exhausted()
  return redis.error_reply('SLUICE<exhausted ' .. string.format('%.0f', fence) .. '>')
end

if not holder and not queued then
  holder = grant(client, attempt, ttl, block)
  save()
  return holder and granted(0) or exhausted()
end

-- include lock/queue.lua

local function tell_wanted()
  if holder.client == '-' then
    return
  end
  holder.state = 'W'
  post(holder.client, 'wanted')
end

local function refuse()
  local remaining = holder and holder.expires - now or 0
  if not wants_queue then
    if holder and holder.state == 'H' then
      tell_wanted()
    end
    return { 2, remaining }
  end
  local somebody = count() > 0
  local position = somebody and redis.call('ZRANK', KEYS[2], client)
  if not position then
    local last = somebody and redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES') or {}
    local arrival = math.max(now, last[2] and last[2] + 1 or 0)
    redis.call('ZADD', KEYS[2], string.format('%.0f', arrival), client)
    position, size, queued = size, size + 1, true
    leftover = leftover ~= client and leftover or nil
  end
  redis.call('HSET', KEYS[3], client, string.format('%.0f %.0f %d %.0f', attempt, ttl, block, now + HEARTBEAT))
  redis.call('PEXPIRE', KEYS[2], 2 * HEARTBEAT / 1000)
  redis.call('PEXPIRE', KEYS[3], 2 * HEARTBEAT / 1000)
  if position == 0 and holder and holder.state ~= 'P' then
    tell_wanted()
  end
  return { 3, position, remaining }
end

local ended
local function acquire()
  local earlier = ticket(client)
  if (holder and holder.client == client and holder.attempt > attempt) or (earlier and earlier.attempt > attempt) then
    return { 0 }
  end
  local mine = holder and holder.client == client
  if mine and holder.attempt == attempt then
    if holder.state == 'P' then
      holder.state, holder.ttl, holder.expires = 'H', ttl, now + ttl
    end
    return granted(waiting())
  end
  local leaves = earlier and earlier.attempt < attempt
  local first, ticket_of_first, dead = survey(client, leaves and client)
  if mine then
    ended = holder.attempt
    remember(client, ended)
    holder = nil
  end
  if leaves then
    drop(client)
  end
  bury(dead)
  if not holder then
    if not first or first == client then
      if first then
        drop(client)
      end
      holder = grant(client, attempt, ttl, block)
      return holder and granted(waiting()) or exhausted()
    end
    hand_over(first, ticket_of_first)
  end
  return refuse()
end

local reply = acquire()
save()
if ended and not reply.err then
  reply[#reply + 1] = ended
end
return reply
