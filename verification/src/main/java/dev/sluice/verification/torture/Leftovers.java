package dev.sluice.verification.torture;

import dev.sluice.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The remains of locks at one server after every client was closed. */
final class Leftovers {
  private static final int MAX_SHOWN = 5;

  /** These outlive every lock, on purpose: what they know must not depend on a clock. */
  private static final Set<String> OF_NODE =
      Set.of("sl:quorum", "sl:quorum:young", "sl:quorum:old");

  private Leftovers() {}

  /** Keys that never expire, and channels. What expires is bounded by the next test's clocks. */
  static List<String> of(RedisServer server) {
    List<String> found = new ArrayList<>();
    Object keys = server.call("KEYS", "sl:*");
    if (keys instanceof List<?> list) {
      for (Object key : list) {
        Object left = server.call("PTTL", String.valueOf(key));
        if (left instanceof Long millis && millis == -1 && !OF_NODE.contains(key)) {
          found.add("key " + key + " never expires");
        }
      }
    }
    Object channels = server.call("PUBSUB", "CHANNELS", "sl:*");
    if (channels instanceof List<?> list) {
      list.forEach(channel -> found.add("channel " + channel + " has a listener"));
    }
    return found.subList(0, Math.min(found.size(), MAX_SHOWN));
  }
}
