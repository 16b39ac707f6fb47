package dev.sluice;

import static java.util.Objects.requireNonNull;

import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.internal.bloom.BloomEngine;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.SystemScheduler;
import dev.sluice.internal.inventory.InventoryEngine;
import dev.sluice.internal.latch.LatchEngine;
import dev.sluice.internal.limit.LimitEngine;
import dev.sluice.internal.lock.Elections;
import dev.sluice.internal.lock.GrantEngine;
import dev.sluice.internal.lock.GrantParts;
import dev.sluice.internal.lock.LeaseRules;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.latch.DistributedLatch;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.limit.Throttle;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.DistributedReadWriteLock;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.LeaderElection;
import dev.sluice.lock.LockInfo;
import dev.sluice.lock.LockObserver;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.LockStats;
import dev.sluice.lock.MultiLock;
import dev.sluice.lock.PermitInfo;
import dev.sluice.lock.ReadWriteOrder;
import dev.sluice.spi.Backend;
import dev.sluice.spi.BackendSettings;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.Namespace;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What several processes agree on, over a store that a team already runs.
 *
 * <pre>{@code
 * try (Sluice sluice = Sluice.connect("redis://localhost:6379")) {
 *   try (Lease lease = sluice.lock("orders/42").acquire(Duration.ofSeconds(2))) {
 *     orders.write(order, lease.token()); // the resource refuses an older token
 *   }
 * }
 * }</pre>
 *
 * <p>One instance per process and store is enough; it is safe for use by many threads. Closing it
 * gives every lease back and ends every wait.
 */
public final class Sluice implements AutoCloseable {
  private static final long LONGEST_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final System.Logger LOG = System.getLogger("dev.sluice");

  private final Backend backend;
  private final boolean ownsBackend;
  private final Ticker ticker;
  private final Scheduler scheduler;
  private final Executor callbacks;
  private final GrantParts parts;
  private final @Nullable LockObserver observer;
  private final GrantEngine locks;
  // guarded by this; made when first asked for, since not every backend has limits
  private @Nullable GrantEngine permits;
  private @Nullable LimitEngine limits;
  private @Nullable BloomEngine blooms;
  private final Map<Class<?>, AutoCloseable> extensions = new LinkedHashMap<>();
  private boolean closed;
  private final String clientId;
  private final List<Runnable> owned;

  private Sluice(Builder builder) {
    this.ownsBackend = builder.backend == null;
    this.owned = new ArrayList<>();
    Ticker ticker = builder.ticker == null ? Ticker.system() : builder.ticker;
    RandomGenerator random = builder.random;
    this.clientId = newClientId(random == null ? new SecureRandom() : random);
    this.backend = builder.openBackend();
    this.ticker = ticker;
    this.scheduler = builder.scheduler == null ? ownScheduler() : builder.scheduler;
    this.callbacks = builder.callbacks == null ? ownCallbacks() : builder.callbacks;
    this.parts =
        new GrantParts(
            backend.describe(),
            clientId,
            ticker,
            scheduler,
            random == null ? () -> ThreadLocalRandom.current().nextLong() : random,
            callbacks,
            new LeaseRules(builder.clockDrift),
            builder.maxTtl);
    this.locks = GrantEngine.ofLocks(backend.locks(), parts);
    this.observer = builder.observer;
    if (observer != null) {
      locks.observe(observer);
    }
  }

  private Scheduler ownScheduler() {
    SystemScheduler scheduler = new SystemScheduler();
    owned.add(scheduler::close);
    return scheduler;
  }

  private Executor ownCallbacks() {
    ExecutorService pool =
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "sluice-callback");
              thread.setDaemon(true);
              return thread;
            });
    owned.add(pool::shutdown);
    return task -> {
      try {
        pool.execute(task);
      } catch (RejectedExecutionException e) {
        task.run(); // closed: what is told late is told by whoever asks
      }
    };
  }

  private static String newClientId(RandomGenerator random) {
    byte[] bits = new byte[16];
    random.nextBytes(bits);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
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
   * @throws BackendException if nobody answers there
   */
  public static Sluice connect(String uri) {
    return builder().uri(uri).build();
  }

  /** {@return settings to fill in} */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * A lock whose leases last 30 s and are renewed while they are held.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @return the lock; objects of one name are interchangeable
   * @throws IllegalArgumentException if the name breaks the rule
   * @throws IllegalStateException if this client is closed
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
   * @throws IllegalArgumentException if the name or the TTL breaks its rule
   * @throws IllegalStateException if this client is closed
   */
  public DistributedLock lock(String name, LockOptions options) {
    return locks.lock(name, options);
  }

  /**
   * Several locks as one, all or none, whose leases last 30 s and are renewed while they are held.
   *
   * @param names each 1 to 512 bytes of UTF-8; at least one; a name given twice counts once
   * @return the locks together
   * @throws IllegalArgumentException if there is no name, or one breaks the rule
   * @throws IllegalStateException if this client is closed
   */
  public MultiLock multiLock(String... names) {
    return multiLock(List.of(names), LockOptions.defaults());
  }

  /**
   * Several locks as one, all or none.
   *
   * @param names each 1 to 512 bytes of UTF-8; at least one; a name given twice counts once
   * @param options how their leases are held
   * @return the locks together
   * @throws IllegalArgumentException if there is no name, or a name or the TTL breaks its rule
   * @throws IllegalStateException if this client is closed
   */
  public MultiLock multiLock(Collection<String> names, LockOptions options) {
    return locks.multiLock(names, options);
  }

  /**
   * An election whose leader holds the lock of the same name, for 30 s at a time, renewed while it
   * leads.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @return an election that we do not stand for yet
   * @throws IllegalArgumentException if the name breaks the rule
   * @throws IllegalStateException if this client is closed
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
   * @return an election that we do not stand for yet; closed with this client at the latest
   * @throws IllegalArgumentException if the name or an option breaks its rule
   * @throws IllegalStateException if this client is closed
   */
  public LeaderElection election(String name, LockOptions options) {
    return extension(Elections.class, parts -> new Elections(locks)).election(name, options);
  }

  /**
   * A count-down latch.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @return the latch; objects of one name are interchangeable
   * @throws IllegalArgumentException if the name breaks the rule
   * @throws IllegalStateException if this client is closed
   * @throws UnsupportedOperationException if the store has no latches
   */
  public DistributedLatch latch(String name) {
    return extension(LatchEngine.class, LatchEngine::new).latch(name);
  }

  /**
   * Limited stock that is never sold twice.
   *
   * @param name what is sold, 1 to 512 bytes of UTF-8
   * @return the stock, used as {@link InventoryOptions#defaults} says
   * @throws IllegalArgumentException if the name breaks the rule
   * @throws IllegalStateException if this client is closed
   * @throws UnsupportedOperationException if the store has no inventories
   */
  public Inventory inventory(String name) {
    return inventory(name, InventoryOptions.defaults());
  }

  /**
   * Limited stock that is never sold twice.
   *
   * @param name what is sold, 1 to 512 bytes of UTF-8
   * @param options how this process uses it
   * @return the stock; objects of one name and equal options are interchangeable
   * @throws IllegalArgumentException if the name breaks the rule
   * @throws IllegalStateException if this client is closed
   * @throws UnsupportedOperationException if the store has no inventories
   */
  public Inventory inventory(String name, InventoryOptions options) {
    return extension(InventoryEngine.class, InventoryEngine::new).inventory(name, options);
  }

  /**
   * Names of stocks that the store knows.
   *
   * @param limit most names, at least 1
   * @return names, in no order
   * @throws BackendException if the store did not answer
   * @throws UnsupportedOperationException if the store has no inventories
   */
  public List<String> inventoryNames(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1: " + limit);
    }
    return extension(InventoryEngine.class, InventoryEngine::new).names(limit);
  }

  /**
   * Asks the store who holds a lock and who waits. One round trip; changes nothing.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @return what the store knows
   * @throws BackendException if the store did not answer
   */
  public LockInfo lockInfo(String name) {
    return locks.lockInfo(name);
  }

  /**
   * Names of locks that the store knows: held, waited for, or used within the last minute.
   *
   * @param limit most names, at least 1
   * @return names, in no order
   * @throws BackendException if the store did not answer
   */
  public List<String> lockNames(int limit) {
    return locks.names(limit);
  }

  /**
   * Asks the store about several locks, all at once.
   *
   * @param names each 1 to 512 bytes of UTF-8
   * @return what the store knows, in the order of the names
   * @throws BackendException if the store did not answer
   */
  public List<LockInfo> lockInfos(Collection<String> names) {
    return locks.lockInfos(names);
  }

  /**
   * What this client has seen of the locks that it uses, or has used not long ago. Semaphores and
   * read-write locks are not among them. Asks nothing of the store.
   *
   * @return counts by name, of at most 10,000 names
   */
  public Map<String, LockStats> lockStats() {
    return locks.stats();
  }

  /**
   * A semaphore whose leases last 30 s and are renewed while they are held.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @param permits how many there are, 1 to 1,000,000, the same in every process
   * @return the semaphore; objects of one name are interchangeable
   * @throws IllegalArgumentException if the name or the number breaks its rule
   * @throws UnsupportedOperationException if the store has no semaphores
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
   * @throws IllegalArgumentException if the name, the number or the TTL breaks its rule
   * @throws UnsupportedOperationException if the store has no semaphores
   */
  public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
    return permits().semaphore(name, permits, options);
  }

  /**
   * A fair read-write lock whose leases last 30 s and are renewed while they are held.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @return the lock; objects of one name are interchangeable
   * @throws IllegalArgumentException if the name breaks the rule
   * @throws UnsupportedOperationException if the store has no read-write locks
   */
  public DistributedReadWriteLock readWriteLock(String name) {
    return readWriteLock(name, LockOptions.defaults(), ReadWriteOrder.FAIR);
  }

  /**
   * A read-write lock.
   *
   * @param name 1 to 512 bytes of UTF-8; another name space than that of locks, the same as that of
   *     semaphores
   * @param options how its leases are held
   * @param order who goes first of those who wait
   * @return the lock
   * @throws IllegalArgumentException if the name or the TTL breaks its rule
   * @throws UnsupportedOperationException if the store has no read-write locks
   */
  public DistributedReadWriteLock readWriteLock(
      String name, LockOptions options, ReadWriteOrder order) {
    requireNonNull(order, "order must not be null");
    return permits().readWriteLock(name, options, order == ReadWriteOrder.WRITERS_FIRST);
  }

  /**
   * Names of semaphores and read-write locks that the store knows: held, waited for, or used within
   * the last minute.
   *
   * @param limit most names, at least 1
   * @return names, in no order
   * @throws BackendException if the store did not answer
   */
  public List<String> permitNames(int limit) {
    return permits().names(limit);
  }

  /**
   * Asks the store who holds a semaphore or read-write lock and who waits. One round trip; changes
   * nothing.
   *
   * @param name 1 to 512 bytes of UTF-8
   * @return what the store knows
   * @throws BackendException if the store did not answer
   */
  public PermitInfo permitInfo(String name) {
    return permits().permitInfo(name);
  }

  /**
   * Asks the store about several semaphores or read-write locks, all at once.
   *
   * @param names each 1 to 512 bytes of UTF-8
   * @return what the store knows, in the order of the names
   * @throws BackendException if the store did not answer
   */
  public List<PermitInfo> permitInfos(Collection<String> names) {
    return permits().permitInfos(names);
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
   * A rate limiter without a version, closed while the store is away.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param limits its tiers, decided all or nothing
   * @return the limiter; the same one for the same name and policy, as long as this client is open
   * @throws IllegalArgumentException if the name or a limit breaks its rule
   * @throws UnsupportedOperationException if the store has no rate limits
   */
  public RateLimiter rateLimiter(String name, Limit... limits) {
    return rateLimiter(name, RateLimiterOptions.of(limits));
  }

  /**
   * A rate limiter.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param options its policy
   * @return the limiter; the same one for the same name and policy, as long as this client is open
   * @throws IllegalArgumentException if the name breaks the rule
   * @throws UnsupportedOperationException if the store has no rate limits
   */
  public RateLimiter rateLimiter(String name, RateLimiterOptions options) {
    return limits().limiter(name, options);
  }

  /**
   * The limiters of this client. Asks nothing of the store.
   *
   * @return those that were asked for, in no order
   */
  public synchronized List<RateLimiter> rateLimiters() {
    return limits == null ? List.of() : limits.limiters();
  }

  /**
   * The surface of redis-cell's {@code CL.THROTTLE}, on any store.
   *
   * @return the surface
   * @throws UnsupportedOperationException if the store has no rate limits
   */
  public Throttle throttle() {
    return limits().throttle();
  }

  /**
   * A Bloom filter of a given size. Asks nothing of the store; {@link BloomFilter#create} makes it.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param funnel says which bytes an element is; the same in every process
   * @param spec the size of a filter that this object creates; one that is there keeps its own
   * @param <T> type of the elements
   * @return the filter; objects of one name are interchangeable
   * @throws IllegalArgumentException if the name breaks the rule
   * @throws UnsupportedOperationException if the store has no Bloom filters
   */
  public <T> BloomFilter<T> bloomFilter(String name, Funnel<T> funnel, BloomSpec spec) {
    return blooms().filter(name, funnel, requireNonNull(spec, "spec must not be null"));
  }

  /**
   * A Bloom filter that somebody else creates, of whatever size.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param funnel says which bytes an element is; the same in every process
   * @param <T> type of the elements
   * @return the filter; it cannot {@link BloomFilter#create}
   * @throws IllegalArgumentException if the name breaks the rule
   * @throws UnsupportedOperationException if the store has no Bloom filters
   */
  public <T> BloomFilter<T> bloomFilter(String name, Funnel<T> funnel) {
    return blooms().filter(name, funnel, null);
  }

  /**
   * Names of the Bloom filters of this client. Asks nothing of the store.
   *
   * @return the first 1,000 that were asked for, in no order
   */
  public synchronized List<String> bloomFilterNames() {
    return blooms == null ? List.of() : blooms.names();
  }

  private synchronized BloomEngine blooms() {
    checkOpen();
    BloomEngine engine = blooms;
    if (engine == null) {
      engine = new BloomEngine(backend.blooms());
      blooms = engine;
    }
    return engine;
  }

  private synchronized LimitEngine limits() {
    checkOpen();
    LimitEngine engine = limits;
    if (engine == null) {
      engine = new LimitEngine(backend.limits(), clientId, ticker, scheduler, callbacks);
      limits = engine;
    }
    return engine;
  }

  /**
   * Adds to this client what another module builds on its store: guarded caches, for one.
   *
   * @param type what is added
   * @param maker makes it, the first time it is asked for
   * @param <T> what is added; closed with this client, before anything else is
   * @return the only one of its type in this client
   * @throws IllegalStateException if this client is closed
   */
  public synchronized <T extends AutoCloseable> T extension(
      Class<T> type, Function<ClientParts, T> maker) {
    checkOpen();
    AutoCloseable known = extensions.get(type);
    if (known == null) {
      known = maker.apply(new ClientParts(backend, clientId, ticker, scheduler, callbacks));
      extensions.put(type, known);
    }
    return type.cast(known);
  }

  private void checkOpen() {
    if (closed) {
      throw Failures.closed();
    }
  }

  /** {@return kind and place of the store, without secrets} */
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

  /** {@return 128 random bits that name this client at the store, made at its start} */
  public String clientId() {
    return clientId;
  }

  /**
   * Ends every wait with {@link IllegalStateException}, gives every lease back, and disconnects if
   * this client opened the connection. Waits at most five seconds for the store, and for callbacks
   * of elections at most four of them. Idempotent.
   */
  @Override
  public void close() {
    LimitEngine open;
    GrantEngine shared;
    List<AutoCloseable> added;
    long until = System.nanoTime() + LONGEST_CLOSE_NANOS;
    synchronized (this) {
      closed = true;
      open = limits;
      shared = permits;
      added = List.copyOf(extensions.values());
      if (blooms != null) {
        blooms.close();
      }
    }
    for (AutoCloseable extension : added) {
      try {
        extension.close();
      } catch (Exception e) {
        LOG.log(System.Logger.Level.WARNING, "an extension did not close", e);
      }
    }
    if (open != null) {
      open.close();
    }
    if (shared != null) {
      shared.beginClose();
    }
    locks.beginClose();
    if (shared != null) {
      shared.endClose(until);
    }
    locks.endClose(until);
    try {
      if (ownsBackend) {
        backend.close();
      }
    } finally {
      owned.forEach(Runnable::run);
    }
  }

  /** Settings of a client. Not safe for use by several threads. */
  public static final class Builder {
    private @Nullable String uri;
    private @Nullable Backend backend;
    private @Nullable Ticker ticker;
    private @Nullable Scheduler scheduler;
    private @Nullable RandomGenerator random;
    private @Nullable Executor callbacks;
    private double clockDrift = 0.01;
    private Duration maxTtl = LockOptions.MAX_TTL;
    private @Nullable Duration requestTimeout;
    private @Nullable String namespace;
    private @Nullable LockObserver observer;

    private Builder() {}

    /**
     * Names the store to connect to.
     *
     * @param uri see {@link Sluice#connect}
     * @return this
     */
    public Builder uri(String uri) {
      this.uri = requireNonNull(uri, "uri must not be null");
      return this;
    }

    /**
     * Uses a backend that is open already; closing the client leaves it open.
     *
     * @param backend the store
     * @return this
     */
    public Builder backend(Backend backend) {
      this.backend = requireNonNull(backend, "backend must not be null");
      return this;
    }

    /**
     * Replaces the clock and the timer, for tests.
     *
     * @param ticker monotonic clock
     * @param scheduler runs what is due
     * @return this
     */
    public Builder time(Ticker ticker, Scheduler scheduler) {
      this.ticker = requireNonNull(ticker, "ticker must not be null");
      this.scheduler = requireNonNull(scheduler, "scheduler must not be null");
      return this;
    }

    /**
     * Replaces the source of the client id and of jitter, for tests.
     *
     * @param random safe for use by many threads
     * @return this
     */
    public Builder random(RandomGenerator random) {
      this.random = requireNonNull(random, "random must not be null");
      return this;
    }

    /**
     * Chooses where listeners and completions run. The default makes daemon threads as needed.
     *
     * @param callbacks runs tasks that may block
     * @return this
     */
    public Builder callbacks(Executor callbacks) {
      this.callbacks = requireNonNull(callbacks, "callbacks must not be null");
      return this;
    }

    /**
     * By how much the clock of this machine and the store's may run apart. A lease ends for us
     * {@code max(2 ms, drift x TTL) + 1 ms} before the store's.
     *
     * @param drift share, 0 to below 0.5; 0.01 unless set
     * @return this
     */
    public Builder clockDrift(double drift) {
      if (!(drift >= 0 && drift < 0.5)) {
        throw new IllegalArgumentException("clockDrift must be 0 to below 0.5: " + drift);
      }
      this.clockDrift = drift;
      return this;
    }

    /**
     * The longest lease that callers may ask for.
     *
     * @param longest at least 10 ms; one day unless set
     * @return this
     */
    public Builder maxTtl(Duration longest) {
      requireNonNull(longest, "maxTtl must not be null");
      if (longest.compareTo(LockOptions.MIN_TTL) < 0
          || longest.compareTo(Duration.ofDays(3650)) > 0) {
        throw new IllegalArgumentException("maxTtl must be 10ms to 3650d: " + longest);
      }
      this.maxTtl = longest;
      return this;
    }

    /**
     * How long one request may stay without an answer. It does not bound a wait for a lock, which
     * has its own.
     *
     * @param timeout 1 ms to 1 day; 2 s unless set
     * @return this
     */
    public Builder requestTimeout(Duration timeout) {
      this.requestTimeout = new BackendSettings(timeout).requestTimeout();
      return this;
    }

    /**
     * Keeps this client apart from all else in the store of the URI, and from clients of other
     * namespaces; it comes before what the URI says.
     *
     * @param namespace 1 to 32 small letters, digits and hyphens
     * @return this
     * @throws IllegalArgumentException if it breaks the rule
     */
    public Builder namespace(String namespace) {
      this.namespace = Namespace.check(namespace);
      return this;
    }

    /**
     * Tells somebody about every acquire and every lease of locks, read-write locks and semaphores,
     * for meters and traces.
     *
     * @param observer who; nobody unless set
     * @return this
     */
    public Builder observer(LockObserver observer) {
      this.observer = requireNonNull(observer, "observer must not be null");
      return this;
    }

    /**
     * Connects.
     *
     * @return an open client
     * @throws IllegalStateException if neither or both of URI and backend were given
     * @throws IllegalArgumentException if no module opens such a URI
     * @throws BackendException if nobody answers there
     */
    public Sluice build() {
      if ((uri == null) == (backend == null)) {
        throw new IllegalStateException("give either a uri or a backend");
      }
      if (backend != null && requestTimeout != null) {
        throw new IllegalStateException(
            "requestTimeout is for a uri: a backend that is open already has its own");
      }
      if (backend != null && namespace != null) {
        throw new IllegalStateException(
            "namespace is for a uri: a backend that is open already has its own, or none");
      }
      return new Sluice(this);
    }

    private BackendSettings settings() {
      return new BackendSettings(
          requestTimeout == null ? Duration.ofSeconds(2) : requestTimeout, namespace);
    }

    private Backend openBackend() {
      if (backend != null) {
        return backend;
      }
      String target = requireNonNull(uri, "uri must not be null");
      return new Providers().of(target).open(target, settings());
    }
  }
}
