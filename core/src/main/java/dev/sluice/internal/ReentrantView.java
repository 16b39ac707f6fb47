package dev.sluice.internal;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.Lease;
import dev.sluice.spi.Names;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A thread-owned, re-entrant view: one lease from the outermost lock to the last unlock. */
final class ReentrantView implements Lock {
  /** One thread's hold; its count is touched by that thread alone. */
  private static final class Hold {
    final Thread thread = Thread.currentThread();
    final LocalLease lease;
    int count = 1;

    Hold(Lease lease) {
      this.lease = (LocalLease) lease;
    }
  }

  private final ClientLock lock;

  /** The latest hold. One whose lease was lost may be replaced before its thread unlocks. */
  private final AtomicReference<@Nullable Hold> hold = new AtomicReference<>();

  ReentrantView(ClientLock lock) {
    this.lock = lock;
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
      hold.set(new Hold(lock.acquireForever()));
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
      hold.set(new Hold(lease));
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
    Hold latest = hold.get();
    return latest != null && latest.thread == Thread.currentThread() ? latest : null;
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
    hold.compareAndSet(mine, null);
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
    Hold latest = hold.get();
    return "ReentrantLock["
        + Names.quoted(lock.name())
        + (latest == null ? ", free" : ", held by " + latest.thread.getName())
        + "]";
  }
}
