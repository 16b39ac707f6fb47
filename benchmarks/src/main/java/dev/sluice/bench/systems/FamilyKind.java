package dev.sluice.bench.systems;

import java.time.Duration;
import java.util.Locale;

/** Semaphores and both sides of read-write locks, measured side by side. */
public enum FamilyKind implements Peer {
  SLUICE_SEMAPHORE("Sluice semaphore of 4 permits, this build"),
  REDISSON_SEMAPHORE("Redisson RPermitExpirableSemaphore of 4 permits, lease of 30 s"),
  RAW_SEMAPHORE("floor: Lettuce, two scripts: expire, count, ZADD and INCR of a token; ZREM"),
  SLUICE_READ("Sluice read lock, this build"),
  REDISSON_READ("Redisson RReadWriteLock.readLock(), default settings, watchdog"),
  RAW_READ("floor: as for the semaphore, and EXISTS of the writer"),
  SLUICE_WRITE("Sluice write lock, this build"),
  REDISSON_WRITE("Redisson RReadWriteLock.writeLock(), default settings, watchdog"),
  RAW_WRITE("floor: Lettuce, two scripts: expire and count readers, SET NX PX, INCR; compare, DEL");

  /** Its chapter. */
  public static final String CHAPTER = "family";

  private final String description;

  FamilyKind(String description) {
    this.description = description;
  }

  @Override
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
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
      case SLUICE_SEMAPHORE, SLUICE_READ, SLUICE_WRITE -> new SluiceFamily(this, uri, ttl);
      case REDISSON_SEMAPHORE, REDISSON_READ, REDISSON_WRITE -> new RedissonFamily(this, uri, ttl);
      case RAW_SEMAPHORE, RAW_READ, RAW_WRITE -> new RawFamily(this, uri);
    };
  }
}
