package dev.sluice.redis;

import dev.sluice.redis.connection.ClusterConnector;
import dev.sluice.servers.RedisBinary;
import dev.sluice.servers.RedisCluster;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.LockProtocol;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.text.Names;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;

/** A real cluster of three masters under test, the same for all tests of this JVM. */
public final class ClusterStore implements StoreUnderTest {
  private static final BackendSettings SETTINGS = new BackendSettings(Duration.ofSeconds(20));

  /** Started once: it takes longer than most tests. It ends with the JVM. */
  private static final class Shared {
    static final RedisCluster CLUSTER = RedisCluster.start(RedisBinary.any(), 3, 0);
    static final RedisClusterClient CLIENT =
        RedisClusterClient.create(RedisURI.create(CLUSTER.masters().get(0).uri()));
  }

  public ClusterStore() {
    Shared.CLUSTER.flush();
  }

  public static RedisCluster cluster() {
    return Shared.CLUSTER;
  }

  @Override
  public Backend connect() {
    return new RedisBackend(
        ClusterConnector.over(
            Shared.CLIENT, SETTINGS, ReplicaPolicy.none(), null)); // no replicas, no fail-over
  }

  @Override
  public void loseData() {
    Shared.CLUSTER.flush();
  }

  @Override
  public boolean forgetsInTime(String name) {
    long longest = (LockProtocol.RETENTION_MICROS + LockProtocol.MAX_LEAD_MICROS) / 1000;
    String start = "sl:{" + Names.encode(name) + "}:";
    for (String part : List.of("lock", "queue", "tickets", "over")) {
      String key = start + part;
      Object left = Shared.CLUSTER.masterOf(Shared.CLUSTER.slot(key)).call("PTTL", key);
      if (!(left instanceof Long millis) || millis == -1 || millis > longest) {
        return false;
      }
    }
    return true;
  }
}
