-- full.lua     what is held goes on at full memory: renewals and releases set `goes_on` before they write
-- A server whose memory is full refuses commands that may need more, unless the script has written already; PEXPIRE needs none.
local goes_on = false

local function put(key, value, ms)
  if goes_on then
    if not redis.pcall('SET', key, value, 'PX', ms).err then
      return
    end
    redis.call('PEXPIRE', key, ms)
  end
  redis.call('SET', key, value, 'PX', ms)
end
