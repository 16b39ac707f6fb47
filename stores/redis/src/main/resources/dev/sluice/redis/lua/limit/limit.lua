-- limit.lua    take permits in every tier or in none, look, or give back. Java twin: LimitState.decide
-- KEYS[1..n]   the tiers, 1 to 8, of any kind
-- ARGV[1..5]   verb (0 take, 1 look, 2 give back, 3 take for a use that is settled later), cost, times, longest wait (us), taken at (us; 0 for a refund)
-- ARGV[..]     for each tier: kind, capacity, scale, step, version, carry-over (0 keep, 1 proportional, 2 reset; 3 more where
--              calls are counted)
-- reply        {granted, delay us, tier from 0, limit, remaining, retry us, reset us, clock steps, newer policy 0|1, now}
-- time         the server's TIME, read once; every number stays below 2^53
-- cost         for each tier one GET, and one SET if anything changes; see log.lua for logs
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local begins = ARGV[1] == '3'
local verb, cost, times, max_wait, taken = begins and 0 or ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0, ARGV[4] + 0, ARGV[5] + 0
local tiers = #KEYS
-- include limit/rules.lua
-- include limit/meters.lua
-- include limit/decide.lua
