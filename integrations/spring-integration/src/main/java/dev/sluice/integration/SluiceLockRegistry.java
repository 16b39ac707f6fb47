package dev.sluice.integration;

import static java.util.Objects.requireNonNull;

import dev.sluice.Sluice;
import dev.sluice.lock.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.scheduling.TaskScheduler;

/**
 * Spring Integration's lock registry on the store of a {@link Sluice}. Keys are strings, and each
 * key has its own lock: no two keys share one. Registries exclude each other, also two of one
 * process with the same name; a lock is re-entrant within its registry.
 *
 * <p>Leases are renewed while they are held, unless the options or the caller name a fixed TTL.
 * After a lease was lost, the next {@code tryLock} of its thread returns false, the one after it
 * asks for a new lease, and {@code unlock} throws a {@link
 * java.util.ConcurrentModificationException}.
 *
 * <p>Lock objects are remembered, {@link #setCacheCapacity} of them; one that a thread holds or
 * waits for is never forgotten. Holds belong to the registry, the key and the thread: two lock
 * objects of one key are the same lock. Safe for use by many threads. Leaves the {@link Sluice}
 * open.
 *
 * @since 0.1
 */
public final class SluiceLockRegistry
    implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

  private static final int DEFAULT_CAPACITY = 100_000;

  private final Sluice sluice;
  private final String prefix;
  private volatile LockOptions options;

  // guarded by itself; the one that was not used for longest comes first
  private final Map<String, SluiceLock.Uses> locks = new LinkedHashMap<>(16, 0.75f, true);
  private int capacity = DEFAULT_CAPACITY;

  /**
   * Locks named {@code REGISTRY/KEY} whose leases last 30 s and are renewed while they are held.
   *
   * @param sluice where the locks are
   * @param registryKey stands before each key, so that registries of different purposes do not
   *     share locks
   */
  public SluiceLockRegistry(Sluice sluice, String registryKey) {
    this(sluice, registryKey, LockOptions.defaults());
  }

  /**
   * Locks with other lease options.
   *
   * @param sluice where the locks are
   * @param registryKey stands before each key; with a key 1 to 511 bytes of UTF-8
   * @param options how leases are held
   */
  public SluiceLockRegistry(Sluice sluice, String registryKey, LockOptions options) {
    this.sluice = requireNonNull(sluice, "sluice must not be null");
    this.prefix = requireNonNull(registryKey, "registryKey must not be null") + "/";
    this.options = requireNonNull(options, "options must not be null");
  }

  /**
   * The lock of a key.
   *
   * @param lockKey a string
   * @return the same object as before, unless it was unused for so long that it was forgotten
   * @throws IllegalArgumentException if the key is not a string, or too long
   */
  @Override
  public SluiceLock obtain(Object lockKey) {
    if (!(lockKey instanceof String key)) {
      throw new IllegalArgumentException("lockKey must be a String: " + lockKey);
    }
    synchronized (locks) {
      SluiceLock.Uses uses =
          locks.computeIfAbsent(
              key,
              k -> new SluiceLock.Uses(new SluiceLock(this, sluice, k, prefix + k, this::options)));
      uses.touch();
      forgetOldest(uses);
      return uses.lock;
    }
  }

  /** The state of a key's lock; null if it was evicted. */
  SluiceLock.@Nullable Uses uses(SluiceLock lock) {
    synchronized (locks) {
      return locks.get(lock.key());
    }
  }

  /** Begins a call, which keeps the key from eviction; restores an evicted lock. */
  SluiceLock.Uses enter(SluiceLock lock) {
    synchronized (locks) {
      SluiceLock.Uses uses = locks.computeIfAbsent(lock.key(), k -> new SluiceLock.Uses(lock));
      uses.enter();
      forgetOldest(uses);
      return uses;
    }
  }

  private LockOptions options() {
    return options;
  }

  private void forgetOldest(SluiceLock.Uses latest) {
    Iterator<SluiceLock.Uses> oldestFirst = locks.values().iterator();
    while (locks.size() > capacity && oldestFirst.hasNext()) {
      SluiceLock.Uses uses = oldestFirst.next();
      if (uses != latest && !uses.isAny()) {
        oldestFirst.remove();
      }
    }
  }

  /**
   * Bounds the number of cached unused lock objects.
   *
   * @param capacity at least 1 (default: 100,000)
   */
  public void setCacheCapacity(int capacity) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be >= 1: " + capacity);
    }
    synchronized (locks) {
      this.capacity = capacity;
    }
  }

  /**
   * Removes lock objects without holder and waiter that were not obtained recently.
   *
   * @param age milliseconds since they were obtained
   */
  @Override
  public void expireUnusedOlderThan(long age) {
    long ageNanos = TimeUnit.MILLISECONDS.toNanos(age);
    synchronized (locks) {
      locks.values().removeIf(uses -> uses.untouchedNanos() > ageNanos && !uses.isAny());
    }
  }

  /** {@return the keys of cached lock objects, the longest unused first} */
  public List<String> keys() {
    synchronized (locks) {
      return new ArrayList<>(locks.keySet());
    }
  }

  /**
   * Extends the lease of this thread to the TTL of the registry from now.
   *
   * @param lockKey its key
   * @throws IllegalStateException if this thread does not hold the lock, or lost it
   */
  @Override
  public void renewLock(Object lockKey) {
    renewLock(lockKey, options.ttl());
  }

  /**
   * Extends the lease of this thread; never shortens it.
   *
   * @param lockKey its key
   * @param ttl from now, 10 ms to the longest TTL of the {@link Sluice}
   * @throws IllegalStateException if this thread does not hold the lock, or lost it
   */
  @Override
  public void renewLock(Object lockKey, Duration ttl) {
    obtain(lockKey).renew(ttl);
  }

  /**
   * Turns renewal on, if the options of this registry had turned it off. Sluice renews by its own
   * timer: the scheduler is not used.
   *
   * @param renewalTaskScheduler any
   */
  @Override
  public void setRenewalTaskScheduler(TaskScheduler renewalTaskScheduler) {
    options = options.renewing();
  }
}
