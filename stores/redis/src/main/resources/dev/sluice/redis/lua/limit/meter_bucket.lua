-- meter_bucket.lua  what was spent and has not drained yet, in units: `scale` drain per us, a permit weighs `step`. Java twin: BucketMeter
-- needs: age, born, BUCKET, ceil, floor, head, max, min, now, write
local function bucket()
  local M = {}

  function M.empty(m)
    m.level, m.promised = 0, 0
  end

  -- the text of one integer, rest * 10^16 + arrival, which has more digits than a double
  function M.plain(rule, found)
    local rest, arrival = string.match(found, '^(%d-)(%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d)$')
    arrival = tonumber(arrival)
    if not arrival or arrival < 1e15 or #found > 19 or (#found == 19 and found > '9223372036854775807') then
      return nil
    end
    rest = tonumber(rest) or 0
    if rest >= rule.scale then -- written at another rate
      arrival, rest = arrival + 1, 0
    end
    local plain = {
      kind = BUCKET, version = 0, capacity = rule.capacity, scale = rule.scale, step = rule.step, carry = rule.carry
    }
    local full = rule.capacity * rule.step
    local m = { rule = plain, of = M, steps = 0, born = born, level = 0, promised = 0 }
    if arrival - now > floor(full / rule.scale) then -- at most a full level: else the clock went back
      m.level, m.steps = full, 1
    elseif arrival >= now then
      m.level = min(full, (arrival - now) * rule.scale + rest)
    end
    return m
  end

  function M.read(m, found, stamp)
    if #found ~= 44 and #found ~= 51 then
      return false
    end
    local step, level = struct.unpack('>I7I7', found, 31)
    if step < 1 then
      return false
    end
    m.rule.step = step
    local passed = max(0, now - stamp)
    m.level, m.promised = passed > floor(level / m.rule.scale) and 0 or level - passed * m.rule.scale, 0
    if #found == 51 then
      m.settles, m.promised = true, max(0, struct.unpack('>I7', found, 45) - max(0, stamp - now))
    end
    return true
  end

  function M.available(m)
    local full = m.rule.capacity * m.rule.step
    return m.level >= full and 0 or floor((full - m.level) / m.rule.step)
  end

  function M.wait_for(m, cost)
    local over = m.level - (m.rule.capacity - cost) * m.rule.step
    return over <= 0 and 0 or ceil(over / m.rule.scale)
  end

  function M.spend(m, wait, amount)
    m.level = max(m.level, wait * m.rule.scale) + amount * m.rule.step
    if wait > 0 then
      m.promised = max(m.promised, now + wait)
    end
  end

  -- keeps the count's birth, and promises apart from debts
  function M.expect(m)
    if not m.settles then
      local over = m.level - m.rule.capacity * m.rule.step
      m.settles, m.promised = true, over > 0 and now + ceil(over / m.rule.scale) or 0
    end
  end

  function M.room(m)
    local full, step = m.rule.capacity * m.rule.step, m.rule.step
    return max(0, floor((full + min(full, 4503599627370495 - step) - m.level) / step))
  end

  function M.latest()
    return 0
  end

  function M.give_back(m, cost)
    local rule = m.rule
    local promised
    if m.settles then
      promised = m.promised > now
    else
      promised = m.level > rule.capacity * rule.step
    end
    if promised then
      return -- somebody was promised a later moment in view of these permits
    end
    local weight = min(cost, rule.capacity) * rule.step
    local drained = age > floor(weight / rule.scale) and weight or age * rule.scale
    m.level = max(0, m.level - max(0, weight - drained))
  end

  function M.full_in(m)
    return ceil(m.level / m.rule.scale)
  end

  function M.spent(m)
    return m.level / m.rule.step
  end

  function M.fill(m, permits, round, horizon)
    local most = m.rule.capacity * m.rule.step + horizon * m.rule.scale
    m.level = min(most, round(permits * m.rule.step))
  end

  function M.save(m, key, full)
    local rule, value = m.rule, nil
    if not m.settles and rule.version == 0 and rule.scale <= 900 and m.level <= rule.capacity * rule.step then
      local rest = m.level % rule.scale
      local arrival = now + (m.level - rest) / rule.scale
      value = rest > 0 and string.format('%d%016.0f', rest, arrival) or string.format('%.0f', arrival)
    else
      value = head(m) .. struct.pack('>I7I7', rule.step, m.level)
      if m.settles then
        value = value .. struct.pack('>I7', m.promised)
      end
    end
    write(key, value, full)
  end

  return M
end
