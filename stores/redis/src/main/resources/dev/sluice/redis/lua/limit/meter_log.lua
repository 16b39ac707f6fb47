-- meter_log.lua  every admission with its time. Java twin: LogMeter, which also reads what this writes
-- stored       head, then shift, first, count and sum, then entries of 10 bytes: time, amount. The entries before
--              `first` are passed over; all times are ahead by `shift`, which grows when the clock goes back
-- cost         the log is not read as a whole: GETRANGE of the header, of what ran out and of the end; SETRANGE;
--              written anew once more than half is passed over
-- needs: age, ceil, head, MARGIN, max, min, now, write
local function log()
  local HEADER, ENTRY, CHUNK = 50, 10, 32
  local M = {}

  -- entries in [first, first + count) are in `changed`, or else stored; their times are the true ones
  local function entry(m, i)
    local mine = m.changed[i]
    if mine then
      return mine[1], mine[2]
    end
    if i < m.chunk_at or ENTRY * (i - m.chunk_at + 1) > #m.chunk then
      local at = HEADER + ENTRY * i
      local many = i == m.total - 1 and 1 or CHUNK
      m.chunk_at, m.chunk = i, redis.call('GETRANGE', m.key, at, at + ENTRY * many - 1)
    end
    local time, amount = struct.unpack('>I7I3', m.chunk, ENTRY * (i - m.chunk_at) + 1)
    return time - m.shift, amount
  end

  function M.empty(m)
    m.first, m.count, m.used, m.shift, m.last, m.total = 0, 0, 0, 0, 0, 0
    m.changed, m.chunk_at, m.chunk = {}, 0, ''
  end

  function M.read(m, found, stamp, key)
    M.empty(m)
    m.key = key
    if #found < HEADER then
      return false
    end
    m.shift, m.first, m.count, m.used = struct.unpack('>I7I4I4I5', found, 31)
    m.shift = m.shift + max(0, stamp - now)
    m.total = m.first + m.count
    if redis.call('STRLEN', key) ~= HEADER + ENTRY * m.total then
      return false
    end
    if m.count == 0 then
      return true
    end
    m.last = entry(m, m.total - 1)
    while m.count > 0 do
      local time, amount = entry(m, m.first)
      if time + m.rule.scale > now then
        return true
      end
      m.first, m.count, m.used = m.first + 1, m.count - 1, m.used - amount
    end
    m.last = 0
    return true
  end

  function M.available(m)
    return m.last > now and 0 or max(0, m.rule.capacity - m.used)
  end

  function M.wait_for(m, cost)
    local to_free, from, i = m.used + cost - m.rule.capacity, m.last, m.first
    while to_free > 0 and i < m.first + m.count do
      local time, amount = entry(m, i)
      to_free, from, i = to_free - amount, max(m.last, time + m.rule.scale), i + 1
    end
    return max(0, from - now)
  end

  function M.spend(m, wait, amount)
    local at, i = now + wait, m.first + m.count
    m.used = m.used + amount
    if m.count > 0 and m.last == at then
      local _, before = entry(m, i - 1)
      m.changed[i - 1] = { at, before + amount }
    else
      m.changed[i] = { at, amount }
      m.count, m.last = m.count + 1, at
    end
  end

  -- from the oldest entry: no window that ends now or later can tell the difference
  function M.give_back(m, cost)
    if m.last > now or age >= m.rule.scale then
      return
    end
    local left = cost
    while left > 0 and m.count > 0 do
      local time, amount = entry(m, m.first)
      local taken = min(left, amount)
      left, m.used = left - taken, m.used - taken
      if taken == amount then
        m.first, m.count = m.first + 1, m.count - 1
      else
        m.changed[m.first] = { time, amount - taken }
      end
    end
    if m.count == 0 then
      m.last = 0
    end
  end

  function M.room(m)
    return max(0, m.rule.capacity + m.rule.capacity - m.used)
  end

  function M.latest(m)
    return max(0, m.last - now)
  end

  function M.full_in(m)
    return m.count == 0 and 0 or m.last + m.rule.scale - now
  end

  function M.spent(m)
    return m.used
  end

  function M.fill(m, permits, round)
    m.used = round(permits)
    if m.used > 0 then
      m.count, m.last, m.changed[0] = 1, now, { now, m.used }
    end
  end

  -- the log is exact and stays so
  function M.resize()
  end

  function M.save(m, key, full)
    local anew = m.total == 0 or m.first > m.count
    if not anew then -- first: a user who lacks the right to it must not leave half of a log
      redis.call('PEXPIRE', key, ceil(full / 1000) + MARGIN)
    end
    local added = ''
    for i = max(m.first, m.total), m.first + m.count - 1 do
      added = added .. struct.pack('>I7I3', m.changed[i][1] + m.shift, m.changed[i][2])
    end
    for i, mine in pairs(m.changed) do
      if i >= m.first and i < m.total then
        redis.call('SETRANGE', key, HEADER + ENTRY * i, struct.pack('>I7I3', mine[1] + m.shift, mine[2]))
      end
    end
    local kept = ''
    if anew and m.first < m.total then
      kept = redis.call('GETRANGE', key, HEADER + ENTRY * m.first, -1)
    end
    local header = head(m) .. struct.pack('>I7I4I4I5', m.shift, anew and 0 or m.first, m.count, m.used)
    if anew then
      write(key, header .. kept .. added, full)
      return
    end
    if added ~= '' then
      redis.call('SETRANGE', key, HEADER + ENTRY * m.total, added)
    end
    redis.call('SETRANGE', key, 0, header)
  end

  return M
end
