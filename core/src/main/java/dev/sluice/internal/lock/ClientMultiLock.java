package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.internal.call.Durations;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.RetryingCall;
import dev.sluice.lock.AsyncMultiLock;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.lock.MultiLease;
import dev.sluice.lock.MultiLock;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Acquires several {@link ClientLock}s, all or none. */
final class ClientMultiLock implements MultiLock {
  /*
   * A caller never waits for a lock while it holds one that comes later in the order of names, so
   * waiters can't deadlock. Locks that come earlier are kept and renewed during the wait.
   * Otherwise a caller that wants many busy locks would never find all of them free at the same
   * moment.
   */

  private final GrantEngine engine;
  private final TreeMap<String, ClientLock> locks;
  private final LockOptions options;

  ClientMultiLock(GrantEngine engine, TreeMap<String, ClientLock> locks, LockOptions options) {
    this.engine = engine;
    this.locks = locks;
    this.options = options;
  }

  @Override
  public List<String> names() {
    return List.copyOf(locks.keySet());
  }

  @Override
  public LockOptions options() {
    return options;
  }

  @Override
  public Optional<MultiLease> tryAcquire() {
    TreeMap<String, LocalLease> held = new TreeMap<>();
    RuntimeException failure = askForTheRest(held);
    if (failure == null && held.size() == locks.size()) {
      return Optional.of(new LocalMultiLease(engine, held));
    }
    giveBack(held.values());
    if (failure != null) {
      throw failure;
    }
    return Optional.empty();
  }

  @Override
  public Optional<MultiLease> tryAcquire(Duration wait) throws InterruptedException {
    try {
      return Optional.of(acquire(wait));
    } catch (LockTimeoutException e) {
      return Optional.empty();
    }
  }

  @Override
  public MultiLease acquire(Duration wait) throws InterruptedException {
    long waitNanos = Durations.checkWait(wait);
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted while waiting for " + what());
    }
    if (waitNanos == 0) {
      return tryAcquire().orElseThrow(this::busy);
    }
    long start = engine.store.ticker.nanos();
    TreeMap<String, LocalLease> held = new TreeMap<>();
    boolean whole = false;
    try {
      boolean waited = false;
      int ranOut = 0;
      while (true) {
        RuntimeException failure = askForTheRest(held);
        if (failure != null && !(failure instanceof BackendException)) {
          throw failure;
        }
        String missing = firstMissing(held);
        if (missing == null) {
          if (!waited || options.isRenewing() || hasAllOfItsTime(held)) {
            whole = true;
            return new LocalMultiLease(engine, held);
          }
          beforeRetry(++ranOut, start, waitNanos);
          continue;
        }
        ranOut = 0;
        giveBack(held.tailMap(missing).values());
        held.tailMap(missing).clear();
        held.put(missing, waitFor(missing, start, waitNanos));
        waited = true;
      }
    } finally {
      if (!whole) {
        giveBack(held.values());
      }
    }
  }

  private void beforeRetry(int ranOut, long start, long waitNanos) throws InterruptedException {
    long waited = engine.store.ticker.nanos() - start;
    if (waited >= waitNanos) {
      throw ranOut(ranOut, waited);
    }
    if (ranOut > 1) {
      engine.store.scheduler.park(
          this, Math.min(waitNanos - waited, RetryingCall.pause(ranOut, engine.store::jitter)));
    }
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted while waiting for " + what());
    }
  }

  /**
   * A lease expired while another lock was waited for, or while all leases were to get the same
   * time.
   */
  RuntimeException ranOut(int ranOut, long waited) {
    String what = what() + ": not acquired within " + Durations.shortly(Duration.ofNanos(waited));
    return ranOut == 1
        ? new LockTimeoutException(what + "; a lease ran out while another was waited for")
        : new BackendException(
            what
                + "; a lease of "
                + Durations.shortly(options.ttl())
                + " ran out "
                + ranOut
                + " times before the store had lengthened all of them",
            null);
  }

  private LocalLease waitFor(String name, long start, long waitNanos) throws InterruptedException {
    try {
      return (LocalLease) lock(name).acquire(left(start, waitNanos));
    } catch (LockTimeoutException e) {
      throw timedOut(name, start);
    }
  }

  Duration left(long start, long waitNanos) {
    return Duration.ofNanos(Math.max(0, waitNanos - (engine.store.ticker.nanos() - start)));
  }

  /** The wait ended while a lock was waited for. */
  LockTimeoutException timedOut(String name, long start) {
    Duration waited = Duration.ofNanos(engine.store.ticker.nanos() - start);
    return new LockTimeoutException(
        what()
            + ": not acquired within "
            + Durations.shortly(waited)
            + "; "
            + Names.quoted(name)
            + ": "
            + engine.coordinator(name).whyRefused(UnitRequest.LOCK));
  }

  LockTimeoutException busy() {
    return new LockTimeoutException(what() + ": one of them is held by another lease");
  }

  /**
   * Requests each lock that is not held, all in parallel. A lock that was lost meanwhile is
   * requested again.
   *
   * @return the first failure, or null; what was granted is in {@code held} either way
   */
  private @Nullable RuntimeException askForTheRest(TreeMap<String, LocalLease> held) {
    giveBack(takeLost(held));
    Map<String, Supplier<@Nullable LocalLease>> answers = new LinkedHashMap<>();
    RuntimeException failure = null;
    try {
      for (Map.Entry<String, ClientLock> lock : locks.entrySet()) {
        if (!held.containsKey(lock.getKey())) {
          answers.put(lock.getKey(), lock.getValue().ask());
        }
      }
    } catch (RuntimeException e) { // closed meanwhile; what was asked must be heard all the same
      failure = e;
    }
    for (Map.Entry<String, Supplier<@Nullable LocalLease>> answer : answers.entrySet()) {
      try {
        LocalLease lease = answer.getValue().get();
        if (lease != null) {
          held.put(answer.getKey(), lease);
        }
      } catch (RuntimeException e) {
        failure = worse(failure, e);
      }
    }
    return failure;
  }

  /** Removes the leases that were lost meanwhile. */
  static List<LocalLease> takeLost(TreeMap<String, LocalLease> held) {
    List<LocalLease> lost =
        held.values().stream().filter(lease -> lease.state() == LeaseState.LOST).toList();
    held.values().removeAll(lost);
    return lost;
  }

  /** Reports a permanent failure before a temporary one. */
  static RuntimeException worse(@Nullable RuntimeException one, RuntimeException other) {
    return one == null || (Failures.isPassing(one) && !Failures.isPassing(other)) ? other : one;
  }

  @Nullable String firstMissing(TreeMap<String, LocalLease> held) {
    for (String name : locks.keySet()) {
      if (!held.containsKey(name)) {
        return name;
      }
    }
    return null;
  }

  /**
   * A lease that is not renewed counts from the grant of its last lock; the earlier locks get the
   * same time once more.
   *
   * @return false if one of them is lost
   */
  private boolean hasAllOfItsTime(TreeMap<String, LocalLease> held) {
    long ttlNanos = options.ttl().toNanos();
    List<CompletableFuture<Boolean>> renewals = new ArrayList<>();
    held.values().forEach(lease -> renewals.add(lease.beginRenew(ttlNanos)));
    boolean all = true;
    for (CompletableFuture<Boolean> renewal : renewals) {
      try {
        all &= renewal.join();
      } catch (RuntimeException e) {
        // silent store: the lease keeps its deadline
      }
    }
    return all && held.values().stream().noneMatch(lease -> lease.state() == LeaseState.LOST);
  }

  /**
   * Releases all locks in parallel, and waits for the store, so that a refused call leaves no lock
   * held.
   */
  private static void giveBack(Collection<LocalLease> leases) {
    Map<LocalLease, CompletableFuture<Boolean>> freed = new LinkedHashMap<>();
    leases.forEach(lease -> freed.put(lease, lease.beginRelease()));
    freed.forEach(LocalLease::wasOurs);
  }

  ClientLock lock(String name) {
    return requireNonNull(locks.get(name));
  }

  String what() {
    return "locks " + locks.keySet();
  }

  @Override
  public void run(Duration wait, Runnable task) throws InterruptedException {
    requireNonNull(task, "task must not be null");
    MultiLease lease = acquire(wait);
    boolean done = false;
    try {
      task.run();
      done = true;
    } finally {
      end(lease, done);
    }
  }

  @Override
  public <T> T call(Duration wait, Callable<T> task) throws Exception {
    requireNonNull(task, "task must not be null");
    MultiLease lease = acquire(wait);
    boolean done = false;
    try {
      T value = task.call();
      done = true;
      return value;
    } finally {
      end(lease, done);
    }
  }

  @Override
  public AsyncMultiLock async() {
    return new AsyncView();
  }

  private final class AsyncView implements AsyncMultiLock {
    @Override
    public CompletionStage<Optional<MultiLease>> tryAcquire() {
      return new MultiLockWait(ClientMultiLock.this, engine, 0).begin();
    }

    @Override
    public CompletionStage<Optional<MultiLease>> tryAcquire(Duration wait) {
      return LeaseStages.tried(begin(wait), MultiLease::releaseAsync);
    }

    @Override
    public CompletionStage<MultiLease> acquire(Duration wait) {
      return LeaseStages.required(
          begin(wait), ClientMultiLock.this::busy, MultiLease::releaseAsync);
    }

    private CompletableFuture<Optional<MultiLease>> begin(Duration wait) {
      return new MultiLockWait(ClientMultiLock.this, engine, Durations.checkWait(wait)).begin();
    }
  }

  private static void end(MultiLease lease, boolean done) {
    if (!lease.release() && done) {
      throw ((LocalMultiLease) lease).lost();
    }
  }
}
