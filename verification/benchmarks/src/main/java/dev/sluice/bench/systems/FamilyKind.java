package dev.sluice.bench.systems;

import java.time.Duration;

/** The libraries whose semaphores, read-write locks and multi-locks are measured side by side. */
public enum FamilyKind implements Peer {
  SLUICE(
      "sluice",
      "Sluice, this build: semaphore, fair read-write lock and multi-lock, leases renewed"),
  CLUSTER("sluice-cluster", "Sluice, this build, redis-cluster:// of three masters: locks"),
  REDISSON(
      "redisson",
      "Redisson RPermitExpirableSemaphore with leases of 30 s; RReadWriteLock and MultiLock with"
          + " their watchdog"),
  RAW(
      "raw",
      "floor: Lettuce, two scripts: a sorted set of expiries, or keys with PX, and INCR of a"
          + " token; again after 1 ms");

  /** Its chapter. */
  public static final String CHAPTER = "family";

  /** Permits of each semaphore. */
  static final int PERMITS = 8;

  /** Locks of each multi-lock. */
  static final int TOGETHER = 3;

  /** Masters of the cluster. */
  private static final int MASTERS = 3;

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

  @Override
  public int masters() {
    return this == CLUSTER ? MASTERS : 0;
  }

  /**
   * Opens a client.
   *
   * @param uri of the server or the cluster
   * @param ttl length of a lease
   */
  public LockSystem open(String uri, Duration ttl) {
    return switch (this) {
      case SLUICE, CLUSTER -> new SluiceFamily(uri, ttl);
      case REDISSON -> new RedissonFamily(uri, ttl);
      case RAW -> new RawFamily(uri, ttl);
    };
  }

  /** {@return the names of the locks that one of {@link Habit#TOGETHER} has} */
  static String[] together(String name) {
    String[] names = new String[TOGETHER];
    for (int i = 0; i < TOGETHER; i++) {
      names[i] = name + "/" + (char) ('a' + i);
    }
    return names;
  }

  static IllegalArgumentException notOfTheFamily(Habit habit) {
    return new IllegalArgumentException("no member of the family is " + habit);
  }
}
