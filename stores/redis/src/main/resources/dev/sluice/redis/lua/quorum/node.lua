-- node.lua     a quorum node's own record; the verbs of membership include this first. Java twin: QuorumNode
-- KEYS[1]      node: one string, see docs/stored-formats.md
-- KEYS[2]      joining: "run id, rejoin id", while the node is on its way back
-- ARGV[1]      run id of the server that the connection was opened to (40 characters), and a rejoin id
-- include lib/foreign.lua
local NODE = '>I1c40I7I7I7I7I7'
local run = string.sub(ARGV[1], 1, 40)
local record = redis.pcall('GET', KEYS[1])
local marker, max_ttl, high, before, floor, turned = '', 0, 0, 0, 0, 0
if record then
  if type(record) == 'table' then
    foreign(1, record)
  end
  local ok, kind, m, t, h, b, f, at, stop = pcall(struct.unpack, NODE, record)
  if not ok or kind ~= 1 or stop ~= #record + 1 then
    foreign(1, record)
  end
  marker, max_ttl, high, before, floor, turned = m, t, h, b, f, at
end

local function save()
  redis.call('SET', KEYS[1], struct.pack(NODE, 1, run, max_ttl, high, before, floor, turned))
end
