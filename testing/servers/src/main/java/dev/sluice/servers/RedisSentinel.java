package dev.sluice.servers;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A real master on the loopback interface, its replica, and Sentinels that promote the replica when
 * the master dies. The master is called {@code main}.
 *
 * <p>Not thread-safe.
 */
public final class RedisSentinel implements AutoCloseable {
  private static final String NAME = "main";

  private final List<RedisServer> sentinels = new ArrayList<>();
  private final RedisServer master;
  private final RedisServer replica;

  private RedisSentinel(RedisServer master, RedisServer replica) {
    this.master = master;
    this.replica = replica;
  }

  /**
   * Starts all of them and waits until each Sentinel knows the others.
   *
   * @param binary which program
   * @param sentinels how many Sentinels; a majority decides
   * @param downAfter how long a master is silent before it is held to be gone, 1 ms or more
   * @return a master that is watched
   */
  public static RedisSentinel start(RedisBinary binary, int sentinels, Duration downAfter) {
    RedisSentinel all = new RedisSentinel(RedisServer.start(binary), RedisServer.start(binary));
    try {
      all.replicate();
      for (int i = 0; i < sentinels; i++) {
        all.sentinels.add(RedisServer.start(binary, "--sentinel"));
      }
      all.watch(downAfter);
      return all;
    } catch (RuntimeException e) {
      all.close();
      throw e;
    }
  }

  private void replicate() {
    replica.call("REPLICAOF", "127.0.0.1", "" + master.port());
    RedisCluster.await(
        "the replica is in step", () -> info(replica, "replication").contains("link_status:up"));
  }

  private void watch(Duration downAfter) {
    int majority = sentinels.size() / 2 + 1;
    for (RedisServer sentinel : sentinels) {
      sentinel.call("SENTINEL", "MONITOR", NAME, "127.0.0.1", "" + master.port(), "" + majority);
      set(sentinel, "down-after-milliseconds", downAfter.toMillis());
      set(sentinel, "failover-timeout", 3000);
    }
    String whole = "slaves=1,sentinels=" + sentinels.size();
    RedisCluster.await(
        "the Sentinels know each other",
        () -> sentinels.stream().allMatch(each -> info(each, "sentinel").contains(whole)));
  }

  private static void set(RedisServer sentinel, String what, long value) {
    sentinel.call("SENTINEL", "SET", NAME, what, "" + value);
  }

  private static String info(RedisServer server, String section) {
    return String.valueOf(server.call("INFO", section));
  }

  /** {@return the master of the start} */
  public RedisServer master() {
    return master;
  }

  /** {@return the replica of the start} */
  public RedisServer replica() {
    return replica;
  }

  /** {@return those that watch} */
  public List<RedisServer> sentinels() {
    return List.copyOf(sentinels);
  }

  /** {@return whether the replica has become the master} */
  public boolean isPromoted() {
    try {
      return info(replica, "replication").contains("role:master");
    } catch (UncheckedIOException e) {
      return false; // a Sentinel that promotes a replica closes the connections of its clients
    }
  }

  /** {@return {@code redis-sentinel://127.0.0.1:port,.../#main}} */
  public String uri() {
    return uri("");
  }

  /**
   * The same with a query.
   *
   * @param query such as {@code ?replicas=1}
   * @return where clients connect
   */
  public String uri(String query) {
    return sentinels.stream()
        .map(sentinel -> "127.0.0.1:" + sentinel.port())
        .collect(Collectors.joining(",", "redis-sentinel://", "/" + query + "#" + NAME));
  }

  /** Ends all servers. Idempotent. */
  @Override
  public void close() {
    sentinels.forEach(RedisServer::close);
    replica.close();
    master.close();
  }
}
