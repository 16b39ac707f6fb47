-- meters.lua   the counts of limit.lua, bucket.lua and settle.lua, brought to the present and to the policy in force
-- Java twins:  LimitState, Meter. A meter is a table {rule, steps, ...}; `of` holds what its kind can do, as in Meter
-- expiry       whatever is written goes MARGIN ms after nothing counts as spent
-- needs: now, rules, taken
-- include lib/foreign.lua

local MARGIN = 1000
local BUCKET, LOG, SLOTS = 1, 3, 4
local KEEP, PROPORTIONAL, RESET = 0, 1, 2
local HEAD = '>I1I2I7I7I7I6'
local floor, ceil, max, min, huge = math.floor, math.ceil, math.max, math.min, math.huge

local born = ceil(now / 1000)
local age = taken > 0 and now - taken or 0

-- kind, version, stamp, capacity, scale, born (ms); Java: Meter.head
local function head(m)
  local rule = m.rule
  return struct.pack(HEAD, rule.kind, rule.version, now, rule.capacity, rule.scale, m.born)
end

local function write(key, value, full)
  redis.call('SET', key, value, 'PX', ceil(full / 1000) + MARGIN)
end

-- include limit/meter_bucket.lua
-- include limit/meter_window.lua
-- include limit/meter_log.lua
-- include limit/meter_slots.lua

-- made when first wanted: most calls want one
local makers, kinds = { bucket, window, log, slots, window }, {}
local function of(kind)
  local known = kinds[kind] or makers[kind]()
  kinds[kind] = known
  return known
end

local function empty(rule)
  local meter = { rule = rule, of = of(rule.kind), steps = 0, born = born }
  meter.of.empty(meter)
  return meter
end

-- Java: Meter.parse; nil if nothing is stored
local function parse(i, rule)
  local log = rule.kind == LOG
  local found = log and redis.pcall('GETRANGE', KEYS[i], 0, 49) or not log and redis.pcall('GET', KEYS[i])
  if not found or (log and found == '' and redis.call('EXISTS', KEYS[i]) == 0) then
    return nil
  end
  if type(found) == 'table' then
    foreign(i, found)
  end
  local kind = string.byte(found) or 0
  if kind >= 48 and kind <= 57 then
    local plain = of(BUCKET).plain(rule, found) or foreign(i, found)
    return rule.kind == BUCKET and plain or empty(rule) -- another algorithm, not numbered: what was spent cannot be told
  end
  if kind < 1 or kind > 5 or #found < 30 then
    foreign(i, found)
  end
  if log and kind ~= LOG then
    found = redis.call('GET', KEYS[i])
  end
  local _, version, stamp, capacity, scale, since = struct.unpack(HEAD, found)
  if capacity < 1 or scale < 1 then
    foreign(i, found)
  end
  local was = { kind = kind, version = version, capacity = capacity, scale = scale, step = 0, carry = KEEP }
  local meter = { rule = was, of = of(kind), steps = stamp > now and 1 or 0, born = min(since, born) }
  if not meter.of.read(meter, found, stamp, KEYS[i]) then
    foreign(i, found)
  end
  return meter
end

-- the longest wait that a tier can promise exactly; Java: LimitRule.horizonMicros
local function horizon(rule)
  return rule.kind == BUCKET and min(3600000000, floor((4503599627370495 - rule.step) / rule.scale)) or 3600000000
end

-- permits per microsecond in the long run; Java: LimitRule.rate
local function rate(rule)
  if rule.kind == BUCKET then
    return rule.scale / rule.step
  end
  return rule.capacity / (rule.kind == SLOTS and rule.scale * rule.step or rule.scale)
end

local function same_shape(one, other)
  return one.kind == other.kind and one.scale == other.scale and one.step == other.step
end

-- Java: Meter.convert
local function convert(meter, to, carry)
  local from = meter.rule
  local same = same_shape(from, to)
  if carry ~= RESET and same and from.capacity == to.capacity then
    meter.rule = to
    return meter
  end
  local next_one = empty(to)
  next_one.steps = meter.steps
  if carry == RESET then
    return next_one
  end
  local raised = rate(to) >= rate(from)
  local round = raised and floor or ceil
  if to.kind ~= BUCKET and same then
    meter.rule = to
    if carry == PROPORTIONAL then
      meter.of.resize(meter, function(count)
        return round(count / from.capacity * to.capacity)
      end)
    end
    return meter
  end
  local bucket = to.kind == BUCKET
  if raised and not (bucket and from.kind == BUCKET) then
    return next_one -- spans of another length: whatever is kept could make somebody wait longer
  end
  local spent = meter.of.spent(meter)
  local promised = max(0, spent - from.capacity)
  spent = spent - promised
  local kept = carry == PROPORTIONAL and spent / from.capacity * to.capacity or spent
  if raised then
    kept = min(kept, max(0, to.capacity - (from.capacity - spent)))
  end
  kept = min(kept, to.capacity)
  next_one.of.fill(next_one, bucket and kept + promised or kept, round, horizon(to)) -- who was promised a time will come
  return next_one
end

local function load(i)
  local rule = rules[i]
  local old = parse(i, rule)
  if not old then
    return empty(rule)
  end
  local was = old.rule
  if was.version > rule.version then
    return old -- a newer policy rules
  end
  local changed = was.version ~= rule.version or not same_shape(was, rule) or was.capacity ~= rule.capacity
  local meter = convert(old, rule, was.version == rule.version and KEEP or rule.carry)
  meter.converted = changed
  return meter
end

local meters = {}
for i = 1, #rules do
  meters[i] = load(i)
end

-- whether a count gave permits whose time is known; `early` is how long before its noted birth it may have
local function gave(i, early)
  local meter = meters[i]
  return not meter.converted and meter.rule.version == rules[i].version and meter.born * 1000 <= taken + early and age >= 0
end

-- Java: LimitRule.costOf
local function cost_in(rule, cost)
  return rule.per_call and min(1, cost) or cost
end

local function save_all()
  for i, meter in ipairs(meters) do
    local full = meter.of.full_in(meter)
    if full == 0 then
      redis.call('DEL', KEYS[i])
    else
      meter.of.save(meter, KEYS[i], full)
    end
  end
end
