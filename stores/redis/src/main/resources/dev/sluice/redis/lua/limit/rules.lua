-- rules.lua    the tiers as limit.lua and settle.lua receive them: six numbers for each, after the first five
-- needs: tiers
local rules = {}
for i = 1, tiers do
  local at = 6 * i
  local carry = ARGV[at + 5] + 0
  rules[i] = {
    kind = ARGV[at] + 0, capacity = ARGV[at + 1] + 0, scale = ARGV[at + 2] + 0, step = ARGV[at + 3] + 0,
    version = ARGV[at + 4] + 0, carry = carry % 3, per_call = carry >= 3
  }
end
