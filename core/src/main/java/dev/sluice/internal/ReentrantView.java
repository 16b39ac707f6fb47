package dev.sluice.internal;

import static java.util.Objects.requireNonNull;

import dev.sluice.lock.Lease;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** A thread-owned, re-entrant view: one lease from the outermost lock to the last unlock. */
final class ReentrantView implements Lock {
  private final ClientLock lock;

  /** Written by the owning thread only; others just compare it with themselves. */
  private volatile @Nullable Thread owner;

  private @Nullable Lease lease;
  private int holds;

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
      throw new InterruptedException("interrupted before lock '" + lock.name() + "'");
    }
    if (!reenter()) {
      own(lock.acquireForever());
    }
  }

  @Override
  public boolean tryLock() {
    if (reenter()) {
      return true;
    }
    return lock.tryAcquire().map(this::own).isPresent();
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    requireNonNull(unit, "unit must not be null");
    if (reenter()) {
      return true;
    }
    Duration wait = Duration.ofNanos(Math.max(0, unit.toNanos(time)));
    return lock.tryAcquire(wait).map(this::own).isPresent();
  }

  private boolean reenter() {
    Lease held = lease;
    if (owner != Thread.currentThread() || held == null) {
      return false;
    }
    held.checkHeld(); // a lost lease must not be entered again
    holds = Math.addExact(holds, 1);
    return true;
  }

  private Lease own(Lease acquired) {
    lease = acquired;
    holds = 1;
    owner = Thread.currentThread();
    return acquired;
  }

  @Override
  public void unlock() {
    Lease held = lease;
    if (owner != Thread.currentThread() || held == null) {
      throw new IllegalMonitorStateException(
          "lock '" + lock.name() + "' is not held by " + Thread.currentThread().getName());
    }
    if (--holds > 0) {
      return;
    }
    owner = null;
    lease = null;
    if (!held.release()) {
      throw ((LocalLease) held).lost();
    }
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException("a distributed lock has no conditions");
  }

  @Override
  public String toString() {
    return "ReentrantLock[" + lock.name() + ", holds " + holds + "]";
  }
}
