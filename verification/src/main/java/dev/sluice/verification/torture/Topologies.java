package dev.sluice.verification.torture;

import dev.sluice.servers.ClockShim;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Topologies by name. */
final class Topologies {
  private Topologies() {}

  static final String WORDS =
      "single, sentinel, cluster, quorum, postgresql, sqlite, zookeeper, memory";

  static void check(String topology) {
    if (!List.of(WORDS.split(", ")).contains(topology)) {
      throw new IllegalArgumentException("no such topology: " + topology + "; there are " + WORDS);
    }
  }

  /**
   * Starts the servers of a run.
   *
   * @param settings which
   * @param clock what moves a server's clock, or null where nothing can
   * @return servers that answer
   */
  static FaultyServers start(TortureSettings settings, @Nullable ClockShim clock) {
    ClockShim own = clock == null ? null : clock.another();
    return switch (settings.topology()) {
      case "single" -> new SingleTopology(settings.plant(), own);
      case "sentinel" -> new SentinelTopology(settings.plant(), own);
      case "cluster" -> new ClusterTopology(settings.plant());
      case "quorum" -> new QuorumTopology(settings.plant(), own);
      case "postgresql" -> new PostgresqlTopology();
      case "sqlite" -> new SqliteTopology(own);
      case "zookeeper" -> new ZookeeperTopology();
      case MemoryTopology.WORD -> new MemoryTopology();
      default -> throw new AssertionError("checked before: " + settings.topology());
    };
  }
}
