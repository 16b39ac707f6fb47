package dev.sluice.bench.systems;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's semaphores with expiring permits, and its read-write locks. */
final class RedissonFamily implements LockSystem {
  private final FamilyKind kind;
  private final RedissonClient redisson;
  private final Duration ttl;

  RedissonFamily(FamilyKind kind, String uri, Duration ttl) {
    this.kind = kind;
    this.ttl = ttl;
    Config config = new Config();
    config.setLockWatchdogTimeout(ttl.toMillis());
    config.useSingleServer().setAddress(uri);
    this.redisson = Redisson.create(config);
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    if (kind == FamilyKind.REDISSON_SEMAPHORE) {
      RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(name);
      semaphore.trySetPermits(SluiceFamily.PERMITS);
      return new PermitMutex(semaphore);
    }
    RReadWriteLock both = redisson.getReadWriteLock(name);
    return new JucMutex(kind == FamilyKind.REDISSON_READ ? both.readLock() : both.writeLock());
  }

  @Override
  public void close() {
    redisson.shutdown();
  }

  private final class PermitMutex implements Mutex {
    private final RPermitExpirableSemaphore semaphore;
    private @Nullable String permit;

    PermitMutex(RPermitExpirableSemaphore semaphore) {
      this.semaphore = semaphore;
    }

    @Override
    public void acquire() throws InterruptedException {
      permit = semaphore.acquire(ttl.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void release() {
      semaphore.release(permit);
    }
  }
}
