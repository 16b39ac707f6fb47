package dev.sluice.bench.systems;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's counterparts with default settings. Its expirable permits are not renewed. */
final class RedissonFamily implements LockSystem {
  private final RedissonClient redisson;
  private final Duration ttl;

  RedissonFamily(String uri, Duration ttl) {
    Config config = new Config();
    config.setLockWatchdogTimeout(ttl.toMillis());
    config.useSingleServer().setAddress(uri);
    this.redisson = Redisson.create(config);
    this.ttl = ttl;
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    return switch (habit) {
      case SEMAPHORE -> {
        RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(name);
        semaphore.trySetPermits(FamilyKind.PERMITS);
        yield new PermitMutex(semaphore, ttl);
      }
      case READ -> new JucMutex(redisson.getReadWriteLock(name).readLock());
      case WRITE -> new JucMutex(redisson.getReadWriteLock(name).writeLock());
      case TOGETHER -> {
        String[] names = FamilyKind.together(name);
        yield new JucMutex(
            redisson.getMultiLock(
                Arrays.stream(names).map(redisson::getLock).toArray(RLock[]::new)));
      }
      default -> throw FamilyKind.notOfTheFamily(habit);
    };
  }

  @Override
  public void close() {
    redisson.shutdown();
  }

  private static final class PermitMutex implements Mutex {
    private final RPermitExpirableSemaphore semaphore;
    private final Duration ttl;
    private @Nullable String permit;

    PermitMutex(RPermitExpirableSemaphore semaphore, Duration ttl) {
      this.semaphore = semaphore;
      this.ttl = ttl;
    }

    @Override
    public void acquire() throws InterruptedException {
      permit = semaphore.acquire(ttl.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void release() {
      semaphore.release(permit);
      permit = null;
    }
  }
}
