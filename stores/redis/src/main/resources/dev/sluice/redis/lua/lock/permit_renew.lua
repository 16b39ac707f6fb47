-- permit_renew.lua  lengthen the grant of one attempt, or say that it is gone. Java twin: GrantState.renew
-- KEYS[1..3]   see permit.lua
-- ARGV[1..3]   client, attempt, ttl (us)
-- reply        {0} gone | {1, remaining us, waiting}
-- cost         TIME, GET, SET while nobody waits
-- include lock/permit.lua
goes_on = true
local ttl = tonumber(ARGV[3])
local mine = find(ARGV[1], tonumber(ARGV[2]))
if mine then
  mine.state = 'H'
  mine.ttl = math.max(mine.ttl, ttl)
  mine.expires = math.max(mine.expires, now + ttl)
end
if not queued then
  save()
  return mine and { 1, mine.expires - now, 0 } or { 0 }
end

-- include lock/permit_line.lua

local reply = { 0 }
if mine then
  drop_dead()
  reply = { 1, mine.expires - now, waiting() }
end
save_all()
return reply
