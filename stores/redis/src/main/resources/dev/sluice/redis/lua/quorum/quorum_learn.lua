-- quorum_learn.lua  a bound on the fences that a node ever stored. Java twin: QuorumNode.learn
-- KEYS[1..2]   see node.lua
-- ARGV[1]      run id
-- reply        {member 0|1, has a record 0|1, longest ttl us, bound}
-- cost         GET
-- include quorum/node.lua
return { marker == run and 1 or 0, record and 1 or 0, max_ttl, high }
