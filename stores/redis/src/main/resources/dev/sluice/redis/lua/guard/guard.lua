-- guard.lua    the check in front of an access of what a lock protects. Java twin: FencingToken.admits
-- KEYS[1]      guard: "token:attempt", the highest that it has seen
-- ARGV[1..3]   token, attempt, how long the guard is kept (ms)
-- the access   stands behind this text as a function of its own, with the KEYS and ARGV that are left
-- raises       the error SLUICE<stale token:attempt>, before anything is written
-- numbers      below 2^53, compared as numbers, copied as texts
-- cost         GET, SET
local found = redis.pcall('GET', KEYS[1])
if type(found) == 'table' then
  return redis.error_reply('SLUICE<foreign ' .. redis.call('TYPE', KEYS[1]).ok .. '>')
end
if found then
  local highest, attempt = string.match(found, '^(%d+):([%w._-]+)$')
  if not highest then
    return redis.error_reply('SLUICE<foreign text>')
  end
  highest = tonumber(highest)
  local token = tonumber(ARGV[1])
  if token < highest or token == highest and ARGV[2] ~= attempt then
    return redis.error_reply('SLUICE<stale ' .. found .. '>')
  end
end
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. ARGV[2], 'PX', ARGV[3])
local function from(first, list)
  local rest = {}
  for i = first, #list do
    rest[i - first + 1] = list[i]
  end
  return rest
end
