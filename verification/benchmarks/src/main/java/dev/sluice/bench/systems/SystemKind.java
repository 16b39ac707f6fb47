package dev.sluice.bench.systems;

import java.time.Duration;

/** The lock libraries that are measured side by side. */
public enum SystemKind implements Peer {
  SLUICE("sluice", "Sluice, this build"),
  REDISSON("redisson", "Redisson RLock, lock() and unlock(), default settings, watchdog"),
  SPRING("spring", "Spring Integration RedisLockRegistry, pub-sub mode, default expiry of 60 s"),
  RAW(
      "raw",
      "floor: Lettuce, SET NX PX and a compare-and-delete script; contended: again after 1 ms"),
  RAW_FENCED(
      "raw-fenced", "floor: Lettuce, two scripts: SET NX PX and INCR of a token; compare and DEL");

  /** Its chapter. */
  public static final String CHAPTER = "locks";

  private final String id;
  private final String description;

  SystemKind(String id, String description) {
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
   * @param uri of the server, {@code redis://host:port}
   * @param ttl length of a lease where the library renews it; 30 s is everybody's default
   */
  public LockSystem open(String uri, Duration ttl) {
    return switch (this) {
      case SLUICE -> new SluiceSystem(uri, ttl);
      case REDISSON -> new RedissonSystem(uri, ttl);
      case SPRING -> new SpringSystem(uri);
      case RAW -> new RawSystem(uri, false);
      case RAW_FENCED -> new RawSystem(uri, true);
    };
  }
}
