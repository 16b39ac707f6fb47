-- stock_marks.lua  the claims that ARGV[1] names, fetched
-- needs: epoch, fetch
local claimants, numbers = {}, {}
local at = 1
while at <= #ARGV[1] do
  claimants[#claimants + 1], numbers[#numbers + 1], at = struct.unpack('>I2c0I7', ARGV[1], at)
end
if epoch > 0 then
  fetch(claimants)
end
