-- permit_resize.lua  settle another capacity. Java twin: GrantState.resize
-- KEYS[1..3]   see permit.lua
-- ARGV[1]      units from now on
-- reply        units before; 0 if none were settled
-- cost         TIME, GET, SET while nobody waits
-- include lock/permit.lua
-- include lock/permit_line.lua
local before = capacity
capacity = tonumber(ARGV[1])
hand_over()
save_all()
return before
