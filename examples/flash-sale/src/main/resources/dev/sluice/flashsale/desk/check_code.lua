-- check_code.lua  compare a one-time code and consume it, or one of its tries
-- KEYS[1]   the code of a phone: tries left, a space, its HMAC
-- ARGV[1]   the HMAC of the code that was typed
-- reply     -1: right, and used up now. Otherwise the tries that are left; 0: there is no code any more
-- expiry    that of the code; a wrong try doesn't prolong it
-- cost      O(1)
local code = redis.call('GET', KEYS[1])
if not code then
  return 0
end
local tries, due = string.match(code, '^(%d+) (.+)$')
if due == ARGV[1] then
  redis.call('DEL', KEYS[1])
  return -1
end
local left = tries - 1
if left < 1 then
  redis.call('DEL', KEYS[1])
  return 0
end
redis.call('SET', KEYS[1], string.format('%d', left) .. ' ' .. due, 'KEEPTTL')
return left
