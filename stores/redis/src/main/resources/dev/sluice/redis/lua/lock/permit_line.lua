-- permit_line.lua  those who wait for permits; a verb includes this after it has dealt with a name that nobody waits for. Java twin: GrantState
-- KEYS[1..3]   see permit.lua; KEYS[2] is one string, the tickets in their order: firsts before the others
-- needs: CLAIM, fence, foreign, free, grant, HEARTBEAT, MAX_TOKEN, now, put, queued, save
local TICKET, LINE = '>I1I7I7I2I4I4I7Bc0', 4

local function read_line(bytes)
  local line, at = {}, 2
  while at <= #bytes do
    local first, attempt, ttl, block, least, most, dead, client, rest = struct.unpack(TICKET, bytes, at)
    at = rest
    line[#line + 1] = {
      client = client, attempt = attempt, ttl = ttl, block = block,
      least = least, most = most, first = first == 1, dead = dead
    }
  end
  return string.byte(bytes) == LINE and line
end

-- read before the first write, so that a foreign line is raised before it
local line, line_changed
local function tickets()
  if not line then
    local bytes = redis.pcall('GET', KEYS[2])
    if type(bytes) == 'table' then
      foreign(2, bytes)
    end
    if bytes then
      local ok, read = pcall(read_line, bytes)
      if not ok or not read then
        foreign(2, bytes)
      end
      line = queued and read or {} -- of a state that was lost: as if it had never been
    else
      line = {}
    end
  end
  return line
end

local function waiting()
  return queued and #tickets() or 0
end

local function head()
  return queued and tickets()[1] or nil
end

local function ticket(client)
  for place = 1, waiting() do
    if line[place].client == client then
      return line[place], place
    end
  end
end

local function dequeue(client)
  local _, place = ticket(client)
  if place then
    table.remove(line, place)
    queued, line_changed = #line > 0, true
  end
end

-- include lib/post.lua

-- Java: dropDead
local function drop_dead(alive)
  local first = head()
  while first and first.client ~= alive and not (first.dead > now and first.dead <= now + HEARTBEAT) do
    dequeue(first.client)
    first = head()
  end
end

-- Java: handOver
local function hand_over(alive)
  while true do
    drop_dead(alive)
    local first = head()
    if not first or first.client == alive or free() < first.least or fence >= MAX_TOKEN then
      return
    end
    dequeue(first.client)
    local given = grant(first, waiting())
    given.state = 'P'
    given.expires = now + CLAIM
    post(first.client, 'permit-granted')
  end
end

local function save_all()
  if line_changed then
    if queued then
      local parts = { string.char(LINE) }
      for place, t in ipairs(line) do
        parts[place + 1] = struct.pack(TICKET, t.first and 1 or 0, t.attempt, t.ttl, t.block, t.least, t.most, t.dead,
          #t.client, t.client)
      end
      put(KEYS[2], table.concat(parts), 2 * HEARTBEAT / 1000)
    else
      redis.call('DEL', KEYS[2])
    end
  end
  save()
end
