package dev.sluice.integration;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.Sluice;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * The lock of one key: owned by the thread, re-entrant, one lease and one fencing token from the
 * outermost {@code lock} to the last {@code unlock}. No conditions.
 *
 * <p>A store that does not answer is a {@link CannotAcquireLockException}; what it may have granted
 * is undone in the background. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class SluiceLock implements DistributedLock {
  private static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

  /** One thread's hold, which only that thread changes. */
  private static final class Hold {
    /** Null after the loss was detected. */
    volatile @Nullable Lease lease;

    int count;

    /** The thread still expects to unlock a lease that was lost. */
    boolean lossToReport;

    void take(Lease taken) {
      lease = taken;
      count = 1;
    }

    /** Enters again, and extends a lease that is not renewed. */
    boolean reenter(LockOptions wanted) {
      Lease now = lease;
      if (now != null && isGood() && (wanted.isRenewing() || now.renew(wanted.ttl()))) {
        count = Math.addExact(count, 1);
        return true;
      }
      lease = null;
      lossToReport = true;
      return false;
    }

    boolean isGood() {
      Lease now = lease;
      return now != null && (now.state() == LeaseState.HELD || now.state() == LeaseState.IN_DOUBT);
    }
  }

  /** The threads of a registry that use each key. Safe for use by many threads. */
  static final class Uses {
    final SluiceLock lock;

    /**
     * The lease of each thread. Another thread may acquire the lock before the thread of a lost
     * lease unlocks.
     */
    private final Map<Thread, Hold> holds = new ConcurrentHashMap<>();

    private final AtomicInteger calls = new AtomicInteger();
    private volatile long touchedAt;

    Uses(SluiceLock lock) {
      this.lock = lock;
      touch();
    }

    void enter() {
      calls.incrementAndGet();
    }

    /**
     * Returns whether a live thread holds the lock or waits for it. Holds of dead threads end with
     * their lease.
     */
    boolean isAny() {
      holds.entrySet().removeIf(held -> !held.getKey().isAlive() && !held.getValue().isGood());
      return !holds.isEmpty() || calls.get() > 0;
    }

    void touch() {
      touchedAt = System.nanoTime();
    }

    long untouchedNanos() {
      return System.nanoTime() - touchedAt;
    }
  }

  private final SluiceLockRegistry registry;
  private final Sluice sluice;
  private final String key;
  private final String name;
  private final Supplier<LockOptions> options;

  SluiceLock(
      SluiceLockRegistry registry,
      Sluice sluice,
      String key,
      String name,
      Supplier<LockOptions> options) {
    this.registry = registry;
    this.sluice = sluice;
    this.key = key;
    this.name = name;
    this.options = options;
    sluice.lock(name, options.get()); // refuses a bad name now
  }

  String key() {
    return key;
  }

  /** {@return the name of the lock in the store} */
  public String name() {
    return name;
  }

  /**
   * The fencing token of this thread's hold, to send with each access of the resource.
   *
   * @return higher than that of every earlier hold, by whichever process
   * @throws IllegalStateException if this thread does not hold the lock
   */
  public long token() {
    return mine().token();
  }

  @Override
  public void lock() {
    lockFor(options.get());
  }

  /**
   * Waits for the lock, with a lease that is not renewed.
   *
   * @param ttl when the lease ends, 10 ms to the longest TTL of the {@link Sluice}
   */
  @Override
  public void lock(Duration ttl) {
    lockFor(fixed(ttl));
  }

  private void lockFor(LockOptions wanted) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          enter(wanted, FOREVER);
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
      throw new InterruptedException("interrupted before lock " + Names.quoted(name));
    }
    enter(options.get(), FOREVER);
  }

  private void enter(LockOptions wanted, Duration wait) throws InterruptedException {
    if (!tryEnter(wanted, wait)) { // its thread believed that it held the lock
      throw lost();
    }
  }

  @Override
  public boolean tryLock() {
    LockOptions wanted = options.get();
    return take(wanted, () -> sluice.lock(name, wanted).tryAcquire());
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    requireNonNull(unit, "unit must not be null");
    return tryEnter(options.get(), Duration.ofNanos(Math.max(0, unit.toNanos(time))));
  }

  /**
   * Waits for the lock, with a lease that is not renewed.
   *
   * @param waitTime longest wait
   * @param ttl when the lease ends, 10 ms to the longest TTL of the {@link Sluice}
   * @return false when the lock was not free in time
   */
  @Override
  public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
    Duration wait = waitTime.isNegative() ? Duration.ZERO : waitTime;
    return tryEnter(fixed(ttl), wait);
  }

  private static LockOptions fixed(Duration ttl) {
    return LockOptions.fixed(requireNonNull(ttl, "ttl must not be null"));
  }

  private boolean tryEnter(LockOptions wanted, Duration wait) throws InterruptedException {
    return take(wanted, () -> sluice.lock(name, wanted).tryAcquire(wait));
  }

  private interface Acquisition<E extends Exception> {
    Optional<Lease> run() throws E;
  }

  /*
   * The caller of a re-entry believes that it holds the lock. So a loss is a refusal first, which
   * Spring's leader initiator takes for the end of its term, and only the next call takes a new
   * lease. The unlock that belongs to the lost lease is still to come, or never comes.
   */
  private <E extends Exception> boolean take(LockOptions wanted, Acquisition<E> acquisition)
      throws E {
    Uses uses = registry.enter(this);
    try {
      Hold held = uses.holds.get(Thread.currentThread());
      if (held != null && held.lease != null) {
        return held.reenter(wanted);
      }
      Optional<Lease> lease = acquisition.run();
      lease.ifPresent(
          taken ->
              uses.holds.computeIfAbsent(Thread.currentThread(), thread -> new Hold()).take(taken));
      return lease.isPresent();
    } catch (BackendException e) {
      throw new CannotAcquireLockException("Failed to lock " + Names.quoted(name), e);
    } finally {
      uses.calls.decrementAndGet();
    }
  }

  /**
   * Releases the lock once the thread has called it as often as it has locked.
   *
   * @throws IllegalStateException if this thread does not hold the lock
   * @throws ConcurrentModificationException if the lease was lost: another thread or process may
   *     have had the lock in the meantime. If a {@code tryLock} found the loss before, one call
   *     throws it, after the lease that replaced the lost one was released
   */
  @Override
  public void unlock() {
    Uses uses = registry.uses(this);
    Hold hold = uses == null ? null : uses.holds.get(Thread.currentThread());
    if (uses == null || hold == null) {
      throw notOwned();
    }
    Lease lease = hold.lease;
    if (lease == null) {
      uses.holds.remove(Thread.currentThread());
      throw lost();
    }
    if (--hold.count > 0) {
      return;
    }
    if (hold.lossToReport) {
      hold.lease = null;
    } else {
      uses.holds.remove(Thread.currentThread());
    }
    if (!lease.release()) {
      throw lost();
    }
  }

  void renew(Duration ttl) {
    if (!mine().renew(ttl)) {
      throw new IllegalStateException(
          "Could not renew lock " + Names.quoted(name) + ": it was lost");
    }
  }

  private Lease mine() {
    Uses uses = registry.uses(this);
    Hold hold = uses == null ? null : uses.holds.get(Thread.currentThread());
    Lease lease = hold == null ? null : hold.lease;
    if (lease == null) {
      throw notOwned();
    }
    return lease;
  }

  private IllegalStateException notOwned() {
    return new IllegalStateException("You do not own lock at " + name);
  }

  private ConcurrentModificationException lost() {
    return new ConcurrentModificationException(
        "Lock '"
            + name
            + "' was released in the store due to expiration."
            + " The integrity of data protected by this lock may have been compromised.");
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException("a distributed lock has no conditions");
  }

  @Override
  public String toString() {
    Uses uses = registry.uses(this);
    String holders = uses == null ? "[]" : uses.holds.keySet().toString();
    return "SluiceLock[" + Names.quoted(name) + ", held by " + holders + "]";
  }
}
