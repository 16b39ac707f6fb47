-- stock_settle.lua  what became of claims that were taken. Java twin: SaleState.settle
-- KEYS[1..5]   see stock.lua
-- ARGV[1..4]   marks: claimant (2 bytes of length), id (7) each, at most 1,000; verdict (0 written, 1 rejected, 2 set aside);
--              bytes of the consumer; consumer and reason
-- reply        how many were settled
-- cost         O(log n) for each
-- include stock/stock.lua
-- include stock/stock_claims.lua
-- include stock/stock_marks.lua
local verdict, length = tonumber(ARGV[2]), tonumber(ARGV[3])
local consumer, reason = string.sub(ARGV[4], 1, length), string.sub(ARGV[4], length + 1)
local count = 0
for i, claimant in ipairs(claimants) do
  local claim = epoch > 0 and marked(claimant, numbers[i])
  -- one that somebody else is writing by now must not be given back
  -- a slow consumer may have written what another has made a dead letter meanwhile
  local open = claim and (claim.state == QUEUED or verdict == 0 and claim.state == DEAD_LETTER)
  if open and (verdict == 0 or claim.rest == consumer) then
    if verdict == 0 then
      to(written(), claimant, claim)
    elseif verdict == 1 then
      to(CANCELLED, claimant, claim)
    else
      to(DEAD_LETTER, claimant, claim, reason)
    end
    count = count + 1
  end
end
if epoch > 0 then
  save()
end
return count
