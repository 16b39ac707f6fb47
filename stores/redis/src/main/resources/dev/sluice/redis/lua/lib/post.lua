-- post.lua     tell a client what became of the name in KEYS[1]; what tells others includes this
-- KEYS[1]      up to its brace, it begins as the channels do: with the namespace, if there is one
-- a message is a hint: a user without the right to publish costs those who are not told a poll, no more
local function post(client, what, about)
  local start, name = string.match(KEYS[1], '^(.-){(.-)}')
  redis.pcall('PUBLISH', start .. 'inbox:' .. client, what .. ' ' .. (about or name))
end
