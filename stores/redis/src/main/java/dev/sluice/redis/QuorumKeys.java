package dev.sluice.redis;

import dev.sluice.spi.Names;
import java.util.List;

/** The keys of a quorum's nodes: those of a lock, and the record that a node keeps of itself. */
final class QuorumKeys {
  static final String VOTE_SUFFIX = "}:vote";

  private static final String NODE = "sl:quorum";

  /** What {@code node.lua} takes. */
  static final CallKeys OF_NODE = new CallKeys("quorum node", List.of(NODE, "sl:quorum:joining"));

  private final RecentKeys<String, CallKeys> known = new RecentKeys<>(QuorumKeys::prepare);

  CallKeys of(String name) {
    return known.of(name);
  }

  private static CallKeys prepare(String name) {
    String start = LockKeys.PREFIX + Names.encode(name);
    return new CallKeys(
        name,
        List.of(
            start + VOTE_SUFFIX,
            NODE,
            start + "}:waiting",
            start + "}:ended",
            "sl:quorum:young",
            "sl:quorum:old"));
  }
}
