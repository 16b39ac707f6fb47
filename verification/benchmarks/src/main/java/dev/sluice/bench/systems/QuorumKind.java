package dev.sluice.bench.systems;

import java.time.Duration;

/** What is measured side by side on five servers that know nothing of each other. */
public enum QuorumKind implements Peer {
  SLUICE("sluice", "Sluice, this build, redis-quorum:// of five"),
  REDISSON("redisson", "Redisson MultiLock over one RLock on each of the five, watchdog"),
  RAW(
      "raw5",
      "floor: Lettuce, SET NX PX to all five at once, then a compare-and-delete script; each waits"
          + " for a majority; no token");

  /** Its chapter. */
  public static final String CHAPTER = "quorum";

  private final String id;
  private final String description;

  QuorumKind(String id, String description) {
    this.id = id;
    this.description = description;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public String chapter() {
    return CHAPTER;
  }

  /**
   * Opens a client.
   *
   * @param uri of all servers, {@code redis-quorum://host:port,host:port,...}
   * @param ttl length of a lease where the library renews it
   */
  public LockSystem open(String uri, Duration ttl) {
    return switch (this) {
      case SLUICE -> new SluiceSystem(uri, ttl);
      case REDISSON -> new RedissonQuorum(uri, ttl);
      case RAW -> new RawQuorum(uri);
    };
  }

  /** Each server of the quorum, as {@code redis://host:port}. */
  static String[] servers(String uri) {
    String hosts = uri.substring(uri.indexOf("://") + 3, uri.indexOf('?'));
    String[] servers = hosts.split(",");
    for (int i = 0; i < servers.length; i++) {
      servers[i] = "redis://" + servers[i];
    }
    return servers;
  }
}
