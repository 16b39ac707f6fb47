package dev.sluice.bench.systems;

import java.time.Duration;

/** The libraries whose semaphores and read-write locks are measured side by side. */
public enum FamilyKind implements Peer {
  SLUICE("sluice", "Sluice, this build: semaphore and fair read-write lock, leases renewed"),
  REDISSON(
      "redisson",
      "Redisson RPermitExpirableSemaphore with leases of 30 s, and RReadWriteLock with its watchdog"),
  RAW(
      "raw",
      "floor: Lettuce, two scripts: a sorted set of expiries, or a key with NX PX, and INCR of a"
          + " token; again after 1 ms");

  /** Its chapter. */
  public static final String CHAPTER = "family";

  /** Permits of each semaphore. */
  static final int PERMITS = 8;

  private final String id;
  private final String description;

  FamilyKind(String id, String description) {
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
   * @param ttl length of a lease
   */
  public LockSystem open(String uri, Duration ttl) {
    return switch (this) {
      case SLUICE -> new SluiceFamily(uri, ttl);
      case REDISSON -> new RedissonFamily(uri, ttl);
      case RAW -> new RawFamily(uri, ttl);
    };
  }

  static IllegalArgumentException notOfTheFamily(Habit habit) {
    return new IllegalArgumentException("no member of the family is " + habit);
  }
}
