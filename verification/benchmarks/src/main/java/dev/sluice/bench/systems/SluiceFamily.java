package dev.sluice.bench.systems;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.MultiLock;
import dev.sluice.lock.ReadWriteOrder;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Sluice's locks, semaphores, read-write locks and multi-locks. */
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
        yield new LeaseMutex(wait -> semaphore.acquire(wait)::release);
      }
      case READ -> {
        DistributedLock lock = pair(name).readLock();
        yield new LeaseMutex(wait -> lock.acquire(wait)::release);
      }
      case WRITE -> {
        DistributedLock lock = pair(name).writeLock();
        yield new LeaseMutex(wait -> lock.acquire(wait)::release);
      }
      case PLAIN -> {
        DistributedLock lock = sluice.lock(name, options);
        yield new LeaseMutex(wait -> lock.acquire(wait)::release);
      }
      case TOGETHER -> {
        MultiLock locks = sluice.multiLock(List.of(FamilyKind.together(name)), options);
        yield new LeaseMutex(wait -> locks.acquire(wait)::release);
      }
      default -> throw FamilyKind.notOfTheFamily(habit);
    };
  }

  private DistributedReadWriteLock pair(String name) {
    return sluice.readWriteLock(name, options, ReadWriteOrder.FAIR);
  }

  @Override
  public void close() {
    sluice.close();
  }

  /** Acquires, and returns how to release. */
  private interface Way {
    BooleanSupplier acquire(Duration wait) throws InterruptedException;
  }

  private static final class LeaseMutex implements Mutex {
    private final Way way;
    private @Nullable BooleanSupplier release;

    LeaseMutex(Way way) {
      this.way = way;
    }

    @Override
    public void acquire() throws InterruptedException {
      release = way.acquire(PATIENCE);
    }

    @Override
    public void release() {
      BooleanSupplier held = release;
      if (held == null || !held.getAsBoolean()) {
        throw new IllegalStateException("a lease was lost");
      }
      release = null;
    }
  }
}
