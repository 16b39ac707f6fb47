-- find.lua     the live grant of an attempt, or nil; a verb that looks for one includes this. Java twin: GrantState.find
-- KEYS[1]      see state.lua
-- needs: grants
local function find(client, attempt)
  for i = 1, #grants do
    local grant = grants[i]
    if grant.attempt == attempt and grant.client == client then
      return grant
    end
  end
end
