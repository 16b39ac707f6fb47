-- decide.lua   the decision of limit.lua and bucket.lua. Java twin: LimitState.decide
-- needs: begins, cost, cost_in, floor, gave, horizon, huge, max, max_wait, meters, min, now, rules, save_all, taken, times, verb
local TAKE, GIVE_BACK = 0, 2 -- verbs; 1 only looks

local costs = {}
for i, rule in ipairs(rules) do
  costs[i] = cost_in(rule, cost)
end

local function wait_in(i)
  local meter = meters[i]
  if costs[i] > meter.rule.capacity then
    return max(1000000, meter.of.full_in(meter)) -- never passes: not to spin
  end
  return meter.of.wait_for(meter, costs[i])
end

local granted, wait, changed = 0, 0, false
if verb == GIVE_BACK then
  granted = times
  for i, meter in ipairs(meters) do
    if taken == 0 or gave(i, 0) then
      meter.of.give_back(meter, costs[i])
      changed = true
    end
  end
elseif cost == 0 then
  granted = times
else
  for i = 1, #meters do
    wait = max(wait, wait_in(i))
  end
  if wait == 0 then
    granted = times
    for i, meter in ipairs(meters) do
      granted = min(granted, floor(meter.of.available(meter) / costs[i]))
    end
  elseif times == 1 and wait <= max_wait then
    granted = 1
    for i, meter in ipairs(meters) do
      if wait > horizon(meter.rule) or costs[i] > meter.rule.capacity then
        granted = 0
      end
    end
  end
  if verb == TAKE then
    for i, meter in ipairs(meters) do
      changed = changed or meter.converted or meter.steps > 0 -- a refusal too, or the count would never drain
      if granted > 0 then
        changed = true
        if begins and meter.of.expect then
          meter.of.expect(meter)
        end
        meter.of.spend(meter, wait, granted * costs[i])
      end
    end
  end
end

if changed then
  save_all()
end

local refused = granted < times
local tier, retry, fewest, steps, newer = 1, 0, huge, 0, 0
for i, meter in ipairs(meters) do
  local passes_in = refused and wait_in(i) or 0
  local left = meter.of.available(meter)
  if (refused and passes_in > retry) or (not refused and left < fewest) then
    tier = i
  end
  retry, fewest, steps = max(retry, passes_in), min(fewest, left), steps + meter.steps
  newer = meter.rule.version > rules[i].version and 1 or newer
end
local deciding = meters[tier]
return {
  granted, granted > 0 and wait or 0, tier - 1, deciding.rule.capacity, deciding.of.available(deciding), retry,
  deciding.of.full_in(deciding), steps, newer, now
}
