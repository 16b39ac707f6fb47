-- meter_window.lua  one window at a time, of the clock or of the first call. Java twin: WindowMeter
-- needs: age, head, max, now, write
local function window()
  local FIXED = 2
  local M = {}

  local function start_of(rule, at)
    return rule.kind == FIXED and at - at % rule.scale or at
  end

  function M.empty(m)
    m.start, m.used = start_of(m.rule, now), 0
  end

  function M.read(m, found, stamp)
    if #found ~= 44 then
      return false
    end
    local scale = m.rule.scale
    local start, used = struct.unpack('>I7I7', found, 31)
    M.empty(m)
    if stamp > now then -- the clock went back, and the windows with it
      start = start - (m.rule.kind == FIXED and (stamp - now) - (stamp - now) % scale or stamp - now)
    end
    if start + scale > now then
      m.start, m.used = start, used
    end
    return true
  end

  function M.available(m)
    return m.start > now and 0 or max(0, m.rule.capacity - m.used)
  end

  function M.wait_for(m, cost)
    local from = m.used + cost <= m.rule.capacity and m.start or m.start + m.rule.scale
    return max(0, from - now)
  end

  function M.spend(m, wait, amount)
    local at = now + wait
    if at >= m.start + m.rule.scale or m.used == 0 then
      m.start, m.used = start_of(m.rule, at), 0
    end
    m.used = m.used + amount
  end

  function M.give_back(m, cost)
    if m.start <= now and now - age >= m.start then
      m.used = max(0, m.used - cost)
    end
  end

  function M.room(m)
    return max(0, m.rule.capacity + m.rule.capacity - m.used)
  end

  function M.latest(m)
    return max(0, m.start - now)
  end

  function M.full_in(m)
    return m.used == 0 and 0 or m.start + m.rule.scale - now
  end

  function M.spent(m)
    return m.used
  end

  function M.fill(m, permits, round)
    m.used = round(permits)
  end

  function M.resize(m, share)
    m.used = share(m.used)
  end

  function M.save(m, key, full)
    write(key, head(m) .. struct.pack('>I7I7', m.start, m.used), full)
  end

  return M
end
