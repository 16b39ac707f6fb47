package dev.sluice.bench.systems;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.ReadWriteOrder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sluice's semaphores and read-write locks. */
final class SluiceFamily implements LockSystem {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Sluice sluice;
  private final LockOptions options;

  SluiceFamily(String uri, Duration ttl) {
    this.sluice = Sluice.connect(uri);
    this.options = LockOptions.renewing(ttl);
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    return switch (habit) {
      case SEMAPHORE -> {
        DistributedSemaphore semaphore = sluice.semaphore(name, FamilyKind.PERMITS, options);
        yield new LeaseMutex(semaphore::acquire);
      }
      case READ ->
          new LeaseMutex(
              sluice.readWriteLock(name, options, ReadWriteOrder.FAIR).readLock()::acquire);
      case WRITE ->
          new LeaseMutex(
              sluice.readWriteLock(name, options, ReadWriteOrder.FAIR).writeLock()::acquire);
      default -> throw FamilyKind.notOfTheFamily(habit);
    };
  }

  @Override
  public void close() {
    sluice.close();
  }

  private interface Way {
    Lease acquire(Duration wait) throws InterruptedException;
  }

  private static final class LeaseMutex implements Mutex {
    private final Way way;
    private @Nullable Lease lease;

    LeaseMutex(Way way) {
      this.way = way;
    }

    @Override
    public void acquire() throws InterruptedException {
      lease = way.acquire(PATIENCE);
    }

    @Override
    public void release() {
      Lease held = lease;
      if (held == null || !held.release()) {
        throw new IllegalStateException("a lease was lost");
      }
      lease = null;
    }
  }
}
