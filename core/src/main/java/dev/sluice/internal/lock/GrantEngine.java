package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Failures;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.ForcedRelease;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockObserver;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockStats;
import dev.sluice.lock.MultiLock;
import dev.sluice.lock.PermitInfo;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.LockProtocol;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The locks, or the semaphores and read-write locks, of one client over one backend: a coordinator
 * for each name in use, one timer, one subscription.
 *
 * <p>Safe for use by many threads.
 */
public final class GrantEngine {
  private static final System.Logger LOG = System.getLogger("dev.sluice.lock");

  /**
   * The number of names above which idle ones are dropped immediately; below it, their last token
   * is kept.
   */
  private static final int MANY_CELLS = 10_000;

  final GrantStore store;
  final ReentrantView.Holds holds = new ReentrantView.Holds();

  private final ConcurrentHashMap<String, GrantCoordinator> coordinators =
      new ConcurrentHashMap<>();
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile CompletableFuture<Void> closing = CompletableFuture.completedFuture(null);

  /** Called for every caller; set before the first one. */
  volatile @Nullable LockObserver observer;

  private GrantEngine(GrantBackend backend, Attempts attempts, GrantParts parts) {
    this.store = new GrantStore(backend, attempts, parts, this::onMessage);
  }

  /**
   * An engine of locks, without names.
   *
   * @param backend the store's verbs
   * @param parts clocks, threads and settings
   */
  public static GrantEngine ofLocks(GrantBackend backend, GrantParts parts) {
    return new GrantEngine(backend, Attempts.SUCCESSIVE, parts);
  }

  /**
   * An engine of semaphores and read-write locks, without names.
   *
   * @param backend the store's verbs
   * @param parts clocks, threads and settings
   */
  public static GrantEngine ofPermits(GrantBackend backend, GrantParts parts) {
    return new GrantEngine(backend, Attempts.SEPARATE, parts);
  }

  /**
   * Sets the observer of all events. Call it before the first lock is requested.
   *
   * @param observer the observer
   */
  public void observe(LockObserver observer) {
    this.observer = observer;
  }

  /**
   * Returns a lock by name.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param options how it is held
   * @return the lock; any number of objects of one name mean the same lock
   */
  public DistributedLock lock(String name, LockOptions options) {
    check(name, options);
    return new ClientMutex(this, name, options);
  }

  /**
   * Returns a semaphore by name.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param permits how many there are, 1 to {@link LockProtocol#MAX_PERMITS}
   * @param options how they are held
   * @return the semaphore; any number of objects of one name mean the same
   */
  public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
    check(name, options);
    return new ClientSemaphore(this, name, checkPermits(permits), options);
  }

  /**
   * Returns a read-write lock by name.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param options how it is held
   * @param writerFirst whether a writer that waits goes before all readers that wait
   * @return the lock; any number of objects of one name mean the same
   */
  public DistributedReadWriteLock readWriteLock(
      String name, LockOptions options, boolean writerFirst) {
    check(name, options);
    if (writerFirst && !store.backend.servesWritersFirst()) {
      throw cannot("serve WRITERS_FIRST: take ReadWriteOrder.FAIR; Redis, SQL and memory can");
    }
    return new ClientReadWriteLock(this, name, options, writerFirst);
  }

  private void check(String name, LockOptions options) {
    Names.check(name);
    requireNonNull(options, "options must not be null");
    store.checkTtl(options.ttl());
    store.checkOpen();
  }

  static int checkPermits(int permits) {
    if (permits < 1 || permits > LockProtocol.MAX_PERMITS) {
      throw new IllegalArgumentException(
          "permits must be 1 to " + LockProtocol.MAX_PERMITS + ": " + permits);
    }
    return permits;
  }

  /**
   * Returns several locks as one.
   *
   * @param names each 1 to 512 bytes of UTF-8; at least one
   * @param options how they are held
   * @return the locks, each name once, sorted
   */
  public MultiLock multiLock(Collection<String> names, LockOptions options) {
    requireNonNull(names, "names must not be null");
    requireNonNull(options, "options must not be null");
    if (names.isEmpty()) {
      throw new IllegalArgumentException("names must not be empty");
    }
    TreeMap<String, ClientLock> locks = new TreeMap<>();
    for (String name : names) {
      Names.check(name);
      locks.put(name, new ClientLock(this, name, options, UnitRequest.LOCK));
    }
    store.checkTtl(options.ttl());
    store.checkOpen();
    return new ClientMultiLock(this, locks, options);
  }

  /**
   * Reads the store's information about a lock.
   *
   * @param name the lock
   * @return what the store knows
   * @throws IllegalArgumentException if the name breaks the rule
   * @throws dev.sluice.BackendException if the store did not answer
   */
  public LockInfo lockInfo(String name) {
    return permitInfo(name).asLock();
  }

  /** Reads the information asynchronously. */
  CompletionStage<PermitInfo> inspect(String name) {
    store.checkOpen();
    return later(name, Failures.call(() -> store.backend.inspect(name)));
  }

  private <T> CompletionStage<T> later(String name, CompletionStage<T> answer) {
    return Failures.later(answer.toCompletableFuture(), store.attempts.what(name), store.callbacks);
  }

  /**
   * Reads the store's information about a name.
   *
   * @param name the semaphore or read-write lock
   * @return what the store knows
   */
  public PermitInfo permitInfo(String name) {
    Names.check(name);
    store.checkOpen();
    return await(Failures.call(() -> store.backend.inspect(name)), store.attempts.what(name));
  }

  int resize(String name, int permits) {
    return await(sendResize(name, permits), store.attempts.what(name));
  }

  CompletionStage<Integer> resizeLater(String name, int permits) {
    return later(name, sendResize(name, permits));
  }

  private CompletionStage<Integer> sendResize(String name, int permits) {
    store.checkOpen();
    GrantBackend.Resize verb =
        store.backend.resize().orElseThrow(() -> cannot("settle another number of permits"));
    return Failures.call(() -> verb.resize(name, permits));
  }

  /** {@return the counts of this client, by name} */
  public Map<String, LockStats> stats() {
    Map<String, LockStats> stats = new HashMap<>();
    coordinators.values().stream()
        .limit(MANY_CELLS)
        .forEach(coordinator -> stats.put(coordinator.name(), coordinator.stats()));
    return stats;
  }

  Optional<ForcedRelease> forceRelease(String name, long token) {
    return await(sendForce(name, token), Failures.lock(name));
  }

  CompletionStage<Optional<ForcedRelease>> forceReleaseLater(String name, long token) {
    return later(name, sendForce(name, token));
  }

  private CompletionStage<Optional<ForcedRelease>> sendForce(String name, long token) {
    store.checkOpen();
    GrantBackend.Force verb =
        store
            .backend
            .force()
            .orElseThrow(
                () -> cannot("end another client's grant; Redis, ZooKeeper, SQL and memory can"));
    return Failures.call(() -> verb.force(name, token));
  }

  private static UnsupportedOperationException cannot(String what) {
    return new UnsupportedOperationException("this store cannot " + what);
  }

  /**
   * Waits for a reply of the store.
   *
   * @param answer what was asked
   * @param what names it in messages
   * @param <T> kind of answer
   * @return the answer
   */
  public static <T> T await(CompletionStage<T> answer, String what) {
    return Failures.await(answer.toCompletableFuture(), what);
  }

  /** {@return the number of waiting timers} For tests: zero when nothing is held or waited for. */
  public int pendingTimers() {
    return store.timers.size();
  }

  /**
   * Ends waits with {@link IllegalStateException}, releases every lease and waits for the store, at
   * most for {@code longest}. Idempotent.
   *
   * @param longest bound of the wait
   */
  public void close(Duration longest) {
    long until = System.nanoTime() + longest.toNanos();
    beginClose();
    endClose(until);
  }

  /** Ends waits and sends the release of every lease, without waiting for the store. */
  public void beginClose() {
    if (store.isClosed()) {
      return;
    }
    store.beginClose();
    List<CompletableFuture<?>> freed = new ArrayList<>();
    for (GrantCoordinator coordinator : coordinators.values()) {
      freed.add(coordinator.close());
    }
    coordinators.clear();
    freed.addAll(
        store.lastReleases()); // after the coordinators: what they began to end meanwhile is in
    closing = CompletableFuture.allOf(freed.toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Waits for the store's replies to the requests of {@link #beginClose()}. Idempotent.
   *
   * @param until end of the wait, by {@link System#nanoTime()}
   */
  public void endClose(long until) {
    if (over.getAndSet(true)) {
      return;
    }
    try {
      closing.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException e) {
      LOG.log(System.Logger.Level.DEBUG, "closed before every release was confirmed", e);
    }
    store.endClose();
  }

  // ---- for coordinators ----

  GrantCoordinator coordinator(String name) {
    GrantCoordinator coordinator = coordinators.get(name);
    if (coordinator == null) {
      store.checkOpen();
      coordinator =
          coordinators.computeIfAbsent(name, n -> new GrantCoordinator(store, n, this::onUnused));
      if (store.isClosed()) { // close() may have missed it
        coordinator.close();
        coordinators.remove(name, coordinator);
        throw Failures.closed();
      }
    }
    return coordinator;
  }

  boolean hasManyCells() {
    return coordinators.size() > MANY_CELLS;
  }

  private void onUnused(GrantCoordinator coordinator) {
    if (hasManyCells()) {
      coordinator.retire();
      forget(coordinator);
    }
  }

  void forget(GrantCoordinator coordinator) {
    coordinators.remove(coordinator.name(), coordinator);
  }

  private void onMessage(LockMessage message) {
    GrantCoordinator coordinator = coordinators.get(message.name());
    if (coordinator != null) {
      coordinator.onMessage(message.kind());
    }
  }
}
