-- meter_slots.lua  counts per slot of a sliding window, and of one slot more; the newest first. Java twin: SlotMeter
-- needs: age, floor, head, max, min, now, write
local function slots()
  local MOST = 1099511627775 -- of five bytes
  local M = {}

  local function current(m)
    return floor(now / m.rule.scale)
  end

  function M.empty(m)
    m.counts, m.newest = {}, current(m)
    for i = 1, m.rule.step + 1 do
      m.counts[i] = 0
    end
  end

  -- makes room for later slots; the oldest are forgotten
  local function move_to(m, slot)
    local by, counts = slot - m.newest, m.counts
    if by <= 0 then
      return
    end
    for i = #counts, 1, -1 do
      counts[i] = i > by and counts[i - by] or 0
    end
    m.newest = slot
  end

  function M.read(m, found, stamp)
    local step = string.byte(found, 31) or 0
    if step < 1 or #found ~= 38 + (step + 1) * 5 then
      return false
    end
    m.rule.step = step
    m.newest = struct.unpack('>I7', found, 32)
    m.counts = { struct.unpack('>' .. string.rep('I5', step + 1), found, 39) }
    m.counts[step + 2] = nil -- where it stopped
    if stamp > now then
      m.newest = m.newest - floor((stamp - now) / m.rule.scale)
    end
    move_to(m, current(m))
    return true
  end

  function M.spent(m)
    local sum = 0
    for _, count in ipairs(m.counts) do
      sum = sum + count
    end
    return sum
  end

  function M.available(m)
    return m.newest > current(m) and 0 or max(0, m.rule.capacity - M.spent(m))
  end

  function M.wait_for(m, cost)
    local counts = m.counts
    local to_free, from = M.spent(m) + cost - m.rule.capacity, m.newest
    for i = #counts, 1, -1 do
      if to_free <= 0 then
        break
      end
      to_free = to_free - counts[i]
      from = m.newest - (i - 1) + #counts
    end
    return max(0, from * m.rule.scale - now)
  end

  function M.spend(m, wait, amount)
    move_to(m, floor((now + wait) / m.rule.scale))
    m.counts[1] = m.counts[1] + amount
  end

  -- from the oldest slot: no window that ends now or later can tell the difference
  function M.give_back(m, cost)
    local counts, left = m.counts, cost
    if m.newest > current(m) or floor((now - age) / m.rule.scale) <= m.newest - #counts then
      return
    end
    for i = #counts, 1, -1 do
      local taken = min(left, counts[i])
      counts[i], left = counts[i] - taken, left - taken
    end
  end

  function M.room(m)
    return max(0, m.rule.capacity + min(m.rule.capacity, MOST - m.rule.capacity) - M.spent(m))
  end

  function M.latest(m)
    return max(0, m.newest * m.rule.scale - now)
  end

  function M.full_in(m)
    for i, count in ipairs(m.counts) do
      if count > 0 then
        return (m.newest - (i - 1) + #m.counts) * m.rule.scale - now
      end
    end
    return 0
  end

  function M.fill(m, permits, round)
    m.counts[1] = round(permits)
  end

  function M.resize(m, share)
    for i, count in ipairs(m.counts) do
      m.counts[i] = min(MOST, share(count)) -- a debt counts beyond the capacity
    end
  end

  function M.save(m, key, full)
    local packed = struct.pack('>I1I7' .. string.rep('I5', #m.counts), m.rule.step, m.newest, unpack(m.counts))
    write(key, head(m) .. packed, full)
  end

  return M
end
