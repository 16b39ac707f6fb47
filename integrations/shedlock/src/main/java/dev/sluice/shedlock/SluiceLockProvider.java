package dev.sluice.shedlock;

import static java.util.Objects.requireNonNull;

import dev.sluice.Sluice;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs ShedLock's scheduled tasks under locks of Sluice, on the store of a {@link Sluice}.
 *
 * <p>{@code lockAtMostFor} is the TTL of a lease that is not renewed, 10 ms to the longest TTL of
 * the {@link Sluice}; {@code lockAtLeastFor} is kept by the store, also when the process ends right
 * after the task. Times are lengths: clocks of different machines are never compared. If the store
 * does not answer, the call throws {@link dev.sluice.BackendException}. It never reports "another
 * process has it".
 *
 * <p>Safe for use by many threads. Leaves the {@link Sluice} open.
 *
 * @since 0.1
 */
public final class SluiceLockProvider implements ExtensibleLockProvider {

  /** The prefix of task names, unless another one is set. */
  public static final String DEFAULT_PREFIX = "shedlock/";

  private static final ThreadLocal<@Nullable Lease> CURRENT = new ThreadLocal<>();

  private final Sluice sluice;
  private final String prefix;

  /**
   * Locks named {@code shedlock/TASK}.
   *
   * @param sluice where the locks are
   */
  public SluiceLockProvider(Sluice sluice) {
    this(sluice, DEFAULT_PREFIX);
  }

  /**
   * Locks with your prefix, so that applications that share a store do not share tasks.
   *
   * @param sluice where the locks are
   * @param prefix stands before the name of the task; together 1 to 512 bytes of UTF-8
   */
  public SluiceLockProvider(Sluice sluice, String prefix) {
    this.sluice = requireNonNull(sluice, "sluice must not be null");
    this.prefix = requireNonNull(prefix, "prefix must not be null");
  }

  /**
   * The lease of the task that runs on this thread. Send its fencing token with each access of the
   * resource, which then refuses a run that outlived its {@code lockAtMostFor}.
   *
   * @return the lease of the latest lock that this thread took from a provider of this class; empty
   *     when there is none, or when it is over
   */
  public static Optional<Lease> currentLease() {
    return Optional.ofNullable(CURRENT.get())
        .filter(lease -> lease.state() == LeaseState.HELD || lease.state() == LeaseState.IN_DOUBT);
  }

  @Override
  public Optional<SimpleLock> lock(LockConfiguration configuration) {
    LockOptions options = LockOptions.fixed(ttlUntil(configuration.getLockAtMostUntil()));
    DistributedLock lock = sluice.lock(prefix + configuration.getName(), options);
    return lock.tryAcquire().map(lease -> new HeldLock(lock, lease, enter(lease), configuration));
  }

  private static @Nullable Lease enter(Lease lease) {
    Lease outer = CURRENT.get();
    CURRENT.set(lease);
    return outer;
  }

  private static Duration until(Instant moment) {
    return Duration.between(ClockProvider.now(), moment);
  }

  private static Duration ttlUntil(Instant moment) {
    Duration ttl = until(moment);
    return ttl.compareTo(LockOptions.MIN_TTL) < 0 ? LockOptions.MIN_TTL : ttl;
  }

  private static final class HeldLock extends AbstractSimpleLock {
    private final DistributedLock lock;
    private final Lease lease;
    private final @Nullable Lease outer;

    HeldLock(
        DistributedLock lock, Lease lease, @Nullable Lease outer, LockConfiguration configuration) {
      super(configuration);
      this.lock = lock;
      this.lease = lease;
      this.outer = outer;
    }

    @Override
    protected void doUnlock() {
      leave();
      lock.releaseAfter(lease, until(lockConfiguration.getLockAtLeastUntil()));
    }

    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration longer) {
      boolean over = until(lockConfiguration.getLockAtMostUntil()).isNegative();
      if (!over && lease.renew(ttlUntil(longer.getLockAtMostUntil()))) {
        return Optional.of(new HeldLock(lock, lease, outer, longer));
      }
      leave(); // ShedLock does not unlock what it could not extend
      lease.release(); // a lease is at least 10 ms long, and may outlive what was asked for
      return Optional.empty();
    }

    private void leave() {
      if (CURRENT.get() != lease) { // unlocked by another thread
        return;
      }
      if (outer == null) {
        CURRENT.remove();
      } else {
        CURRENT.set(outer);
      }
    }
  }
}
