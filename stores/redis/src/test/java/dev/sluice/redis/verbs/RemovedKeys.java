package dev.sluice.redis.verbs;

/**
 * Lets a script fail when it uses a key that it has removed before. In a cluster, while the slot of
 * a key is on its way, a key that is gone cannot be written, and not even be read: the script would
 * fail there, half done.
 */
final class RemovedKeys {
  private static final String WATCH =
      """
      local redis = (function(server)
        local removed = {}
        local function watched(run)
          return function(...)
            local named, there = {}, {}
            for _, key in ipairs(KEYS) do
              for i = 2, select('#', ...) do
                if select(i, ...) == key then
                  named[#named + 1] = key
                  there[key] = server.call('EXISTS', key) == 1
                end
              end
            end
            for _, key in ipairs(named) do
              if removed[key] then
                error('removed before: ' .. table.concat({ ... }, ' '), 0)
              end
            end
            local reply = run(...)
            for _, key in ipairs(named) do
              removed[key] = there[key] and server.call('EXISTS', key) == 0
            end
            return reply
          end
        end
        return setmetatable({ call = watched(server.call), pcall = watched(server.pcall) }, { __index = server })
      end)(redis)
      """;

  private RemovedKeys() {}

  /** The same script under watch. */
  static String watched(String script) {
    return WATCH + script;
  }
}
