package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.Lease;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * A re-entrant view that a thread owns: one lease from the first lock to the last unlock. All views
 * of one name in one client share what the thread holds.
 */
final class ReentrantView implements Lock {
  /** The kind and name of a lock that a thread can hold at most once. */
  private record Key(String noun, String name) {}

  /** The locks held by the threads of one client through reentrant views. */
  static final class Holds {
    private final ThreadLocal<Map<Key, Hold>> ofThread = ThreadLocal.withInitial(HashMap::new);
  }

  private static final class Hold {
    final LocalLease lease;
    int count = 1;

    Hold(Lease lease) {
      this.lease = (LocalLease) lease;
    }
  }

  private final ClientLock lock;
  private final Key key;
  private final Holds holds;

  ReentrantView(ClientLock lock, UnitRequest unitRequest, Holds holds) {
    this.lock = lock;
    this.key = new Key(unitRequest.noun(), lock.name());
    this.holds = holds;
  }

  @Override
  public void lock() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          lockInterruptibly();
          return;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before " + lock.what());
    }
    if (!reenter()) {
      own(lock.acquireForever());
    }
  }

  @Override
  public boolean tryLock() {
    return reenter() || own(lock.tryAcquire().orElse(null));
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    requireNonNull(unit, "unit must not be null");
    Duration wait = Duration.ofNanos(Math.max(0, unit.toNanos(time)));
    return reenter() || own(lock.tryAcquire(wait).orElse(null));
  }

  private boolean own(@Nullable Lease lease) {
    if (lease != null) {
      holds.ofThread.get().put(key, new Hold(lease));
    }
    return lease != null;
  }

  private boolean reenter() {
    Hold mine = mine();
    if (mine == null) {
      return false;
    }
    mine.lease.checkHeld(); // a lost lease must not be entered again
    mine.count = Math.addExact(mine.count, 1);
    return true;
  }

  private @Nullable Hold mine() {
    return holds.ofThread.get().get(key);
  }

  @Override
  public void unlock() {
    Hold mine = mine();
    if (mine == null) {
      throw new IllegalMonitorStateException(
          lock.what() + " is not held by " + Thread.currentThread().getName());
    }
    if (--mine.count > 0) {
      return;
    }
    holds.ofThread.get().remove(key);
    if (!mine.lease.release()) {
      throw mine.lease.lost();
    }
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException("a distributed lock has no conditions");
  }

  @Override
  public String toString() {
    return "ReentrantLock["
        + Names.quoted(lock.name())
        + (mine() == null ? "" : ", held by " + Thread.currentThread().getName())
        + "]";
  }
}
