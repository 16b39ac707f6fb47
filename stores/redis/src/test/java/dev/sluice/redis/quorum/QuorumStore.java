package dev.sluice.redis.quorum;

import dev.sluice.redis.QuorumOptions;
import dev.sluice.redis.RedisQuorum;
import dev.sluice.servers.RedisServer;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.LockProtocol;
import dev.sluice.testkit.StoreUnderTest;
import dev.sluice.text.Names;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Real servers of a quorum that is founded anew for each test. */
public final class QuorumStore implements StoreUnderTest {
  private static final QuorumOptions SETTINGS =
      QuorumOptions.of(new BackendSettings(Duration.ofSeconds(20))).fresh();

  private final List<RedisServer> servers;
  private final RedisClient client = RedisClient.create(); // to make one takes long

  QuorumStore(List<RedisServer> servers) {
    this.servers = servers;
    loseData();
  }

  public static List<RedisURI> uris(List<RedisServer> servers) {
    return servers.stream().map(server -> RedisURI.create(server.uri())).toList();
  }

  /**
   * Gives the last server the time to hear what a majority has answered: at most a second, which no
   * ticket that was forgotten there would go in.
   */
  static void settle(List<RedisServer> servers, String name) {
    for (int i = 0; i < 100 && !queue(servers, name, 0); i++) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Whether each server has so many tickets for a lock. */
  static boolean queue(List<RedisServer> servers, String name, long tickets) {
    String queue = "sl:{" + Names.encode(name) + "}:waiting";
    return servers.stream().allMatch(server -> server.call("HLEN", queue).equals(tickets));
  }

  @Override
  public Backend connect() {
    return RedisQuorum.over(client, uris(servers), SETTINGS);
  }

  @Override
  public void loseData() {
    servers.forEach(server -> server.call("FLUSHALL"));
  }

  @Override
  public boolean forgetsInTime(String name) {
    long longest = (LockProtocol.RETENTION_MICROS + LockProtocol.MAX_LEAD_MICROS) / 1000;
    for (RedisServer server : servers) {
      for (String part : List.of("vote", "waiting", "ended")) {
        Object left = server.call("PTTL", "sl:{" + Names.encode(name) + "}:" + part);
        if (!(left instanceof Long millis) || millis == -1 || millis > longest) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  public void close() {
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }
}
