package dev.sluice.redis;

import dev.sluice.spi.Names;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** The keys of a quorum's nodes: those of a lock, and the record that a node keeps of itself. */
final class QuorumKeys {
  static final String VOTE_SUFFIX = "}:vote";

  private static final String NODE = "sl:quorum";
  private static final int MANY = 10_000;

  /** What {@code node.lua} takes. */
  static final CallKeys OF_NODE = new CallKeys("quorum node", List.of(NODE, "sl:quorum:joining"));

  /** Of the names in use. */
  private final ConcurrentHashMap<String, CallKeys> known = new ConcurrentHashMap<>();

  CallKeys of(String name) {
    CallKeys keys = known.get(name);
    if (keys == null) {
      if (known.size() >= MANY) {
        known.clear();
      }
      String start = LockKeys.PREFIX + Names.encode(name);
      keys =
          new CallKeys(
              name, List.of(start + VOTE_SUFFIX, NODE, start + "}:waiting", start + "}:ended"));
      known.put(name, keys);
    }
    return keys;
  }
}
