package dev.sluice;

import static java.util.Objects.requireNonNull;

import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.internal.bloom.BloomEngine;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.election.Elections;
import dev.sluice.internal.inventory.InventoryEngine;
import dev.sluice.internal.latch.LatchEngine;
import dev.sluice.internal.limit.LimitEngine;
import dev.sluice.internal.lock.GrantEngine;
import dev.sluice.internal.lock.GrantParts;
import dev.sluice.internal.lock.LeaseRules;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.latch.DistributedLatch;
import dev.sluice.limit.Limit;
import dev.sluice.limit.PolicyBook;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.limit.Throttle;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.LeaderElection;
import dev.sluice.lock.LockObserver;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockStats;
import dev.sluice.lock.MultiLock;
import dev.sluice.lock.ReadWriteOrder;
import dev.sluice.spi.Backend;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.Ticker;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The client of a store: returns locks, limits, filters and the other primitives by name. Processes
 * that use the same store and the same name use the same primitive.
 *
 * <pre>{@code
 * try (Sluice sluice = Sluice.connect("redis://localhost:6379")) {
 *   try (Lease lease = sluice.lock("orders/42").acquire(Duration.ofSeconds(2))) {
 *     orders.write(order, lease.token()); // the resource refuses an older token
 *   }
 * }
 * }</pre>
 *
 * <p>The methods that make a lock, a limiter, a filter and so on do not ask the store and do not
 * block. They throw {@link IllegalArgumentException} if a name is not 1 to 512 bytes of UTF-8 or a
 * number or an option breaks its rule, {@link IllegalStateException} if this client is closed, and
 * {@link UnsupportedOperationException} if the store cannot do it; the message names those that
 * can.
 *
 * <p>Safe for use by many threads. One instance per process and store is enough. {@link #connect}
 * blocks until the store answers. {@link #close} releases every lease, ends every wait with {@link
 * IllegalStateException}, and blocks for at most five seconds. The documentation of this package
 * has the rules for interruption.
 *
 * @since 0.1
 */
public final class Sluice implements AutoCloseable {
  private static final long MAX_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final System.Logger LOG = System.getLogger("dev.sluice");

  private final Backend backend;
  private final boolean ownsBackend;
  private final OwnThreads threads;
  private final ClientParts shared;
  private final GrantParts parts;
  private final @Nullable LockObserver observer;
  private final GrantEngine locks;
  private final Inspector inspector;
  // guarded by this; made at first use, since not every backend has them
  private @Nullable GrantEngine permits;
  private final Map<Class<?>, AutoCloseable> extensions = new LinkedHashMap<>();
  private boolean closed;

  Sluice(SluiceBuilder builder) {
    this.ownsBackend = builder.backend == null;
    RandomGenerator random = builder.random;
    String clientId = builder.newClientId();
    this.backend = builder.openBackend();
    this.threads = new OwnThreads(builder.scheduler == null, builder.callbacks == null);
    this.shared =
        new ClientParts(
            backend,
            clientId,
            builder.ticker == null ? Ticker.system() : builder.ticker,
            builder.scheduler == null ? threads.scheduler() : builder.scheduler,
            builder.callbacks == null ? threads.callbacks() : builder.callbacks);
    this.parts =
        new GrantParts(
            backend.describe(),
            clientId,
            shared.ticker(),
            shared.scheduler(),
            random == null ? () -> ThreadLocalRandom.current().nextLong() : random,
            shared.callbacks(),
            new LeaseRules(builder.clockDrift),
            builder.maxTtl);
    this.locks = GrantEngine.ofLocks(backend.locks(), parts);
    this.inspector = new Inspector(backend, this::checkOpen);
    this.observer = builder.observer;
    if (observer != null) {
      locks.observe(observer);
    }
  }

  /**
   * Connects to a store with default settings.
   *
   * @param uri {@code memory:}, {@code memory:NAME}, {@code redis://host:port}, {@code
   *     rediss://host:port}, {@code redis-sentinel://host:port,host:port/#master}, {@code
   *     redis-cluster://host:port,host:port}, {@code redis-quorum://a,b,c}, with sluice-zookeeper
   *     {@code zookeeper://a,b,c/path}, or with sluice-jdbc {@code jdbc:postgresql:}, {@code
   *     jdbc:mariadb:}, {@code jdbc:mysql:}, {@code jdbc:h2:} and {@code jdbc:sqlite:} URLs; each
   *     with {@code namespace} among its options, such as {@code
   *     redis://host?namespace=shop-staging}, to keep applications apart that share a store
   * @return an open client
   * @throws IllegalArgumentException if no module on the class path opens such a URI
   * @throws BackendException if the store does not answer
   */
  public static Sluice connect(String uri) {
    return builder().uri(uri).build();
  }

  /** {@return settings to fill in} */
  public static SluiceBuilder builder() {
    return new SluiceBuilder();
  }

  /**
   * Returns a lock whose leases last 30 s and are renewed while they are held.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @return the lock; objects of one name are interchangeable
   */
  public DistributedLock lock(String name) {
    return lock(name, LockOptions.defaults());
  }

  /**
   * A lock.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param options how its leases are held
   * @return the lock
   */
  public DistributedLock lock(String name, LockOptions options) {
    return locks.lock(name, options);
  }

  /**
   * Returns several locks as one, all or none, whose leases last 30 s and are renewed while they
   * are held.
   *
   * @param names each 1 to 512 bytes of UTF-8; at least one; a name given twice counts once
   * @return the locks together
   */
  public MultiLock multiLock(String... names) {
    return multiLock(List.of(names), LockOptions.defaults());
  }

  /**
   * Returns several locks as one, all or none.
   *
   * @param names each 1 to 512 bytes of UTF-8; at least one; a name given twice counts once
   * @param options how their leases are held
   * @return the locks together
   */
  public MultiLock multiLock(Collection<String> names, LockOptions options) {
    return locks.multiLock(names, options);
  }

  /**
   * Returns an election whose leader holds the lock of the same name, for 30 s at a time, renewed
   * while it leads.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @return an election in which this process is no candidate yet
   */
  public LeaderElection election(String name) {
    return election(name, LockOptions.defaults());
  }

  /**
   * An election.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param options how the leader holds the lock: its TTL is the longest time without a leader
   *     after one died; not sticky
   * @return an election in which this process is no candidate yet; closed with this client at the
   *     latest
   */
  public LeaderElection election(String name, LockOptions options) {
    return extension(Elections.class, Elections::new).election(lock(name, options), options);
  }

  /**
   * Returns a count-down latch.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @return the latch; objects of one name are interchangeable
   */
  public DistributedLatch latch(String name) {
    return extension(LatchEngine.class, LatchEngine::new).latch(name);
  }

  /**
   * Returns limited stock that is never sold twice.
   *
   * @param name what is sold, 1 to 512 bytes of UTF-8
   * @return the stock, used as {@link InventoryOptions#defaults} says
   */
  public Inventory inventory(String name) {
    return inventory(name, InventoryOptions.defaults());
  }

  /**
   * Returns limited stock that is never sold twice.
   *
   * @param name what is sold, 1 to 512 bytes of UTF-8
   * @param options how this process uses it
   * @return the stock; objects of one name and equal options are interchangeable
   */
  public Inventory inventory(String name, InventoryOptions options) {
    return extension(InventoryEngine.class, InventoryEngine::new).inventory(name, options);
  }

  /** {@return the inspector of the store; each of its methods reads the store} */
  public Inspector inspect() {
    return inspector;
  }

  /**
   * The counts of this client for each lock that it uses, or has used recently. Semaphores and
   * read-write locks are not among them. Asks nothing of the store.
   *
   * @return counts by name, of at most 10,000 names
   */
  public Map<String, LockStats> lockStats() {
    return locks.stats();
  }

  /**
   * Returns a semaphore whose leases last 30 s and are renewed while they are held.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param permits how many there are, 1 to 1,000,000, the same in every process
   * @return the semaphore; objects of one name are interchangeable
   */
  public DistributedSemaphore semaphore(String name, int permits) {
    return semaphore(name, permits, LockOptions.defaults());
  }

  /**
   * A semaphore.
   *
   * @param name 1 to 512 bytes of UTF-8; another name space than that of locks, the same as that of
   *     read-write locks
   * @param permits how many there are, 1 to 1,000,000, the same in every process
   * @param options how its leases are held
   * @return the semaphore
   */
  public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
    return permits().semaphore(name, permits, options);
  }

  /**
   * Returns a fair read-write lock whose leases last 30 s and are renewed while they are held.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @return the lock; objects of one name are interchangeable
   */
  public DistributedReadWriteLock readWriteLock(String name) {
    return readWriteLock(name, LockOptions.defaults(), ReadWriteOrder.FAIR);
  }

  /**
   * Returns a read-write lock.
   *
   * @param name 1 to 512 bytes of UTF-8; another name space than that of locks, the same as that of
   *     semaphores
   * @param options how its leases are held
   * @param order which waiter goes first
   * @return the lock
   * @throws UnsupportedOperationException if the store does not have the order, or no read-write
   *     locks at all
   */
  public DistributedReadWriteLock readWriteLock(
      String name, LockOptions options, ReadWriteOrder order) {
    requireNonNull(order, "order must not be null");
    return permits().readWriteLock(name, options, order == ReadWriteOrder.WRITERS_FIRST);
  }

  private synchronized GrantEngine permits() {
    checkOpen();
    GrantEngine engine = permits;
    if (engine == null) {
      engine = GrantEngine.ofPermits(backend.permits(), parts);
      if (observer != null) {
        engine.observe(observer);
      }
      permits = engine;
    }
    return engine;
  }

  /**
   * Returns a rate limiter without a version, closed while the store is unreachable.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param limits its tiers, decided all or nothing
   * @return the limiter; the same one for the same name and policy, while this client is open
   */
  public RateLimiter rateLimiter(String name, Limit... limits) {
    return rateLimiter(name, RateLimiterOptions.of(limits));
  }

  /**
   * Returns a rate limiter.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param options its policy
   * @return the limiter; the same one for the same name and policy, while this client is open
   */
  public RateLimiter rateLimiter(String name, RateLimiterOptions options) {
    return limits().limiter(name, options);
  }

  /**
   * Returns the limiters of this client. Asks nothing of the store.
   *
   * @return those that were asked for, in no order
   */
  public synchronized List<RateLimiter> rateLimiters() {
    return extensions.get(LimitEngine.class) instanceof LimitEngine limits
        ? limits.limiters()
        : List.of();
  }

  /** {@return the policies of rate limiters in the store} */
  public PolicyBook policyBook() {
    return limits().policyBook();
  }

  /**
   * Returns redis-cell's {@code CL.THROTTLE}, on any store.
   *
   * @return the surface
   */
  public Throttle throttle() {
    return limits().throttle();
  }

  /**
   * Returns a Bloom filter of a given size. Asks nothing of the store; {@link BloomFilter#create}
   * makes it.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param funnel says which bytes an element is; the same in every process
   * @param spec the size of a filter that this object creates; one that is there keeps its own
   * @param <T> type of the elements
   * @return the filter; objects of one name are interchangeable
   */
  public <T> BloomFilter<T> bloomFilter(String name, Funnel<T> funnel, BloomSpec spec) {
    return blooms().filter(name, funnel, requireNonNull(spec, "spec must not be null"));
  }

  /**
   * Returns a Bloom filter of any size that another process creates.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param funnel says which bytes an element is; the same in every process
   * @param <T> type of the elements
   * @return the filter; it cannot {@link BloomFilter#create}
   */
  public <T> BloomFilter<T> bloomFilter(String name, Funnel<T> funnel) {
    return blooms().filter(name, funnel, null);
  }

  /**
   * Returns the names of the Bloom filters of this client. Asks nothing of the store.
   *
   * @return the first 1,000 that were asked for, in no order
   */
  public synchronized List<String> bloomFilterNames() {
    return extensions.get(BloomEngine.class) instanceof BloomEngine blooms
        ? blooms.names()
        : List.of();
  }

  private BloomEngine blooms() {
    return extension(
        BloomEngine.class, parts -> new BloomEngine(parts.backend().blooms(), parts.callbacks()));
  }

  private LimitEngine limits() {
    return extension(LimitEngine.class, LimitEngine::new);
  }

  synchronized <T extends AutoCloseable> T extension(
      Class<T> type, Function<ClientParts, T> maker) {
    checkOpen();
    AutoCloseable known = extensions.get(type);
    if (known == null) {
      known = maker.apply(shared);
      extensions.put(type, known);
    }
    return type.cast(known);
  }

  private void checkOpen() {
    if (closed) {
      throw Failures.closed();
    }
  }

  /** {@return the kind and address of the store, without secrets} */
  public String describe() {
    return backend.describe();
  }

  /**
   * Examines the store as this client uses it: settings, rights, clock, latency, keys. Blocks for
   * some round trips; meant for a look now and then, not for every request.
   *
   * @return the findings, the worst first; none if all is well
   * @throws BackendException if the store did not answer at all
   * @see Doctor#examine(List)
   */
  public List<Finding> diagnose() {
    return Doctor.worstFirst(GrantEngine.await(backend.diagnose(), "diagnosis"));
  }

  /** {@return the 128 random bits, generated at its start, that identify this client} */
  public String clientId() {
    return shared.clientId();
  }

  /**
   * Ends every wait with {@link IllegalStateException}, releases every lease, and disconnects if
   * this client opened the connection. Waits at most five seconds for the store, and for callbacks
   * of elections at most four of them. Idempotent.
   */
  @Override
  public void close() {
    GrantEngine permits;
    List<AutoCloseable> added;
    long until = System.nanoTime() + MAX_CLOSE_NANOS;
    synchronized (this) {
      closed = true;
      permits = this.permits;
      added = List.copyOf(extensions.values());
    }
    for (AutoCloseable extension : added) {
      try {
        extension.close();
      } catch (Exception e) {
        LOG.log(System.Logger.Level.WARNING, "an extension did not close", e);
      }
    }
    if (permits != null) {
      permits.beginClose();
    }
    locks.beginClose();
    if (permits != null) {
      permits.endClose(until);
    }
    locks.endClose(until);
    try {
      if (ownsBackend) {
        backend.close();
      }
    } finally {
      threads.close();
    }
  }
}
