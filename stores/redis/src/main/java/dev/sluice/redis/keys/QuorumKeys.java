package dev.sluice.redis.keys;

import dev.sluice.text.Names;
import java.util.List;

/** The keys of a quorum's nodes: those of a lock, and the node's record. */
public final class QuorumKeys {
  public static final String VOTE_SUFFIX = "}:vote";

  private final String open;
  private final String node;

  /** The key of {@code node.lua}. */
  public final CallKeys ofNode;

  private final RecentKeys<String, CallKeys> known = new RecentKeys<>(this::prepare);

  public QuorumKeys(KeySpace space) {
    this.open = space.open();
    this.node = space.start() + "quorum";
    this.ofNode = new CallKeys("quorum node", List.of(node, node + ":joining"));
  }

  public CallKeys of(String name) {
    return known.of(name);
  }

  private CallKeys prepare(String name) {
    String start = open + Names.encode(name);
    return new CallKeys(
        name,
        List.of(
            start + VOTE_SUFFIX,
            node,
            start + "}:waiting",
            start + "}:ended",
            node + ":young",
            node + ":old"));
  }
}
