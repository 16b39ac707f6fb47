-- resize.lua   settle another capacity of a semaphore, and hand over. Java twin: GrantState.resize
-- KEYS[1..4]   see state.lua
-- ARGV[1]      units from now on
-- reply        units before; 0 if none were settled
-- cost         TIME, GET, SET while nobody waits; O(log waiting) for each ticket that is served or dropped otherwise
-- include lock/state.lua
-- include lock/grant.lua
-- include lock/queue.lua
local before = capacity
capacity = tonumber(ARGV[1])
hand_over()
save()
return before
