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
  static final int PERMITS = 4;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final FamilyKind kind;
  private final Sluice sluice;
  private final LockOptions options;

  SluiceFamily(FamilyKind kind, String uri, Duration ttl) {
    this.kind = kind;
    this.sluice = Sluice.connect(uri);
    this.options = LockOptions.renewing(ttl);
  }

  @FunctionalInterface
  private interface Taker {
    Lease take() throws InterruptedException;
  }

  @Override
  public Mutex mutex(String name, Habit habit) {
    LockSystem.requirePlain(habit);
    if (kind == FamilyKind.SLUICE_SEMAPHORE) {
      DistributedSemaphore semaphore = sluice.semaphore(name, PERMITS, options);
      return mutex(() -> semaphore.acquire(PATIENCE));
    }
    var both = sluice.readWriteLock(name, options, ReadWriteOrder.FAIR);
    var side = kind == FamilyKind.SLUICE_READ ? both.readLock() : both.writeLock();
    return mutex(() -> side.acquire(PATIENCE));
  }

  private static Mutex mutex(Taker taker) {
    return new Mutex() {
      private @Nullable Lease lease;

      @Override
      public void acquire() throws InterruptedException {
        lease = taker.take();
      }

      @Override
      public void release() {
        Lease held = lease;
        if (held == null || !held.release()) {
          throw new IllegalStateException("lost: " + held);
        }
        lease = null;
      }
    };
  }

  @Override
  public void close() {
    sluice.close();
  }
}
