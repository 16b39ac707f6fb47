-- stock_again.lua  queue claims again. Java twin: SaleState.requeue
-- KEYS[1..5]   see stock.lua
-- ARGV[1]      marks: claimant (2 bytes of length), id (7) each, at most 1,000
-- reply        how many were queued
-- cost         O(log n) for each
-- include stock/stock.lua
-- include stock/stock_claims.lua
-- include stock/stock_marks.lua
if epoch == 0 then
  return 0
end
local count = 0
for i, claimant in ipairs(claimants) do
  local claim = marked(claimant, numbers[i])
  -- what is final stays so: where there is a hold, a queued claim would be held once more
  local comes_back = claim and (claim.state ~= CONFIRMED or hold == 0)
  if comes_back and drained == 1 and claim.state ~= QUEUED and is_live(claim.state) then
    to(QUEUED, claimant, claim)
    count = count + 1
  end
end
save()
return count
