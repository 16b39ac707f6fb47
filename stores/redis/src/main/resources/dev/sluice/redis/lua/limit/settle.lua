-- settle.lua   replace the estimate of a use by what it has cost, once for its id. Java twin: LimitState.settle
-- KEYS[1..n]   the tiers, 1 to 8, and last the id
-- ARGV[1..5]   unused (0|1), estimate, actual, how long after its beginning it counts (us), begun at (us)
-- ARGV[..]     for each tier what limit.lua takes
-- reply        {0 counted | 1 repeated | 2 late}
-- time         the server's TIME, read once; every number stays below 2^53
-- cost         for each tier one GET, and one SET if anything changes; one GET and one SET of the id
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local unused, estimate, actual, within, taken = ARGV[1] == '1', ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0, ARGV[5] + 0
local tiers = #KEYS - 1
-- include limit/rules.lua
-- include limit/meters.lua
local COUNTED, REPEATED, LATE = 0, 1, 2

local till = taken + within
if now > till then
  return { LATE }
end
local known = redis.pcall('GET', KEYS[#KEYS])
if type(known) == 'table' then
  foreign(#KEYS, known)
end
if known == '1' then
  return { REPEATED }
end
redis.call('SET', KEYS[#KEYS], '1', 'PX', ceil((till + 1 - now) / 1000) + MARGIN)
local changed = false
for i, meter in ipairs(meters) do
  local rule = rules[i]
  local more = (unused and 0 or rule.per_call and 1 or actual) - cost_in(rule, estimate)
  if more > 0 then -- Java: Meter.charge
    local counted = min(more, meter.of.room(meter))
    if counted > 0 then
      if meter.of.expect then -- or the debt would be taken for a promise
        meter.of.expect(meter)
      end
      meter.of.spend(meter, meter.of.latest(meter), counted)
    end
    changed = true
  elseif more < 0 and gave(i, 999) then
    meter.of.give_back(meter, -more)
    changed = true
  end
end
if changed then
  local saved, why = pcall(save_all)
  if not saved then -- a user who lacks a right: the id must not count as settled
    redis.call('SET', KEYS[#KEYS], '0', 'PX', 1)
    error(why, 0)
  end
end
return { COUNTED }
