-- vote_line.lua  those who wait at one node; a verb includes this after it has dealt with a lock that nobody waits for. Java twin: QuorumNode
-- KEYS[1..6]   see vote.lua
-- needs: attempt, client, foreign, HEARTBEAT, now, queued
-- include lib/post.lua

-- those who wait and live: how many, and who came first
local function waiting()
  local count, first, earliest = 0, nil, nil
  if queued then
    local entries = redis.pcall('HGETALL', KEYS[3])
    if entries.err then
      foreign(3, entries)
    end
    for i = 1, #entries, 2 do
      local arrival, dead = string.match(entries[i + 1], '^%d+ (%d+) (%d+)$')
      arrival, dead = tonumber(arrival), tonumber(dead)
      if not arrival then
        foreign(3, entries[i + 1])
      end
      if dead > now and dead <= now + HEARTBEAT then
        count = count + 1
        if not first or arrival < earliest or (arrival == earliest and entries[i] < first) then
          first, earliest = entries[i], arrival
        end
      end
    end
  end
  return count, first
end

local function wait()
  waiting() -- proves that they are ours before the first write
  local arrival = now
  if queued then
    local entry = redis.call('HGET', KEYS[3], client)
    local since, dead = string.match(entry or '', '^%d+ (%d+) (%d+)$')
    if since and tonumber(dead) > now and tonumber(since) <= now then
      arrival = tonumber(since)
    end
  end
  redis.call('HSET', KEYS[3], client, string.format('%.0f %.0f %.0f', attempt, arrival, now + HEARTBEAT))
  redis.call('PEXPIRE', KEYS[3], 2 * HEARTBEAT / 1000)
  queued = true
end

local function leave()
  if queued then
    waiting()
    redis.call('HDEL', KEYS[3], client)
    queued = redis.call('HLEN', KEYS[3]) > 0
  end
end
