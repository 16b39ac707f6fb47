package dev.sluice.bench.systems;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.inventory.Sale;
import dev.sluice.jdbc.JdbcBackend;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.lock.DistributedLock;
import dev.sluice.lock.DistributedSemaphore;
import dev.sluice.lock.LeaseLock;
import dev.sluice.lock.LockOptions;
import dev.sluice.lock.MultiLock;
import dev.sluice.lock.ReadWriteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sluice on any store, with its default deadlines unless a test chooses another. */
public final class SluiceLibrary implements Library {
  /** In milliseconds; for tests, whose machine may stall for longer than the usual deadlines. */
  private static final String DEADLINE = "sluice.bench.deadline";

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** More than is claimed in any run. */
  static final long PLENTY = 1_000_000_000;

  private final Sluice sluice;
  private final LockOptions options;
  private final AtomicLong claimants = new AtomicLong();

  private SluiceLibrary(Sluice sluice, Duration ttl) {
    this.sluice = sluice;
    this.options = LockOptions.renewing(ttl);
  }

  static SluiceLibrary connect(String uri, Duration ttl) {
    return new SluiceLibrary(Sluice.connect(uri), ttl);
  }

  /** On a database that has the tables, through a pool. */
  static SluiceLibrary overPool(String url, Duration ttl) {
    JdbcBackend backend = JdbcBackend.builder().dataSource(SqlLibraries.pool(url)).build();
    return new SluiceLibrary(Sluice.builder().backend(backend).build(), ttl);
  }

  private static Optional<Duration> deadline() {
    return Optional.ofNullable(Long.getLong(DEADLINE)).map(Duration::ofMillis);
  }

  /** For workloads that hold many leases. */
  public DistributedLock lock(String name) {
    return sluice.lock(name, options);
  }

  @Override
  public Mutex lock(String name, LockUse use) {
    return switch (use) {
      case PLAIN -> mutex(lock(name));
      case STICKY -> mutex(sluice.lock(name, options.sticky(Duration.ofSeconds(30))));
      case ALTERNATING -> mutex(sluice.lock(name, options.handOff(1, Duration.ZERO)));
      case SEMAPHORE -> {
        DistributedSemaphore semaphore = sluice.semaphore(name, LockUse.PERMITS, options);
        yield Mutex.ofLease(() -> semaphore.acquire(PATIENCE)::release);
      }
      case READ -> mutex(sluice.readWriteLock(name, options, ReadWriteOrder.FAIR).readLock());
      case WRITE -> mutex(sluice.readWriteLock(name, options, ReadWriteOrder.FAIR).writeLock());
      case TOGETHER -> {
        MultiLock locks = sluice.multiLock(LockUse.together(name), options);
        yield Mutex.ofLease(() -> locks.acquire(PATIENCE)::release);
      }
    };
  }

  private static Mutex mutex(LeaseLock lock) {
    return Mutex.ofLease(() -> lock.acquire(PATIENCE)::release);
  }

  @Override
  public KeyedCall limit(String name, List<String> keys, Allowance allowance) throws Exception {
    if (allowance.extra() == Allowance.Extra.IMPATIENT) {
      return Library.super.limit(name, keys, allowance);
    }
    Limit limit =
        switch (allowance.shape()) {
          case BUCKET ->
              Limit.gcra(allowance.count(), allowance.period()).burst(allowance.capacity());
          case WINDOW -> Limit.slidingWindow(allowance.count(), allowance.period());
        };
    RateLimiterOptions usual = RateLimiterOptions.of(limit);
    RateLimiterOptions plain = deadline().map(usual::deadline).orElse(usual);
    boolean leasing = allowance.extra() == Allowance.Extra.LEASING;
    RateLimiter limiter = sluice.rateLimiter(name, leasing ? plain.leasing() : plain);
    return KeyedCall.of(
        key -> passed(limiter.tryAcquire(key)),
        key -> limiter.async().tryAcquire(key, 1).thenApply(SluiceLibrary::passed));
  }

  /** What the outage policy says is not the store's word. */
  private static boolean passed(Decision decision) {
    if (decision.source() == Decision.Source.FALLBACK) {
      throw new IllegalStateException("the outage policy decided: no answer within the deadline");
    }
    return decision.allowed();
  }

  @Override
  public KeyedCall stock(String name, boolean soldOut) {
    InventoryOptions settings =
        InventoryOptions.defaults().soldOutMemo(Duration.ofSeconds(soldOut ? 10 : 0));
    Inventory stock = sluice.inventory(name, settings);
    stock.open(Sale.epoch(1).total(soldOut ? 0 : PLENTY).drained());
    ClaimResult.Outcome expected =
        soldOut ? ClaimResult.Outcome.SOLD_OUT : ClaimResult.Outcome.ACCEPTED;
    return KeyedCall.of(
        key -> {
          String claimant = "user/" + claimants.incrementAndGet();
          return stock.claim(claimant, 1, claimant).outcome() == expected;
        },
        key -> {
          String claimant = "user/" + claimants.incrementAndGet();
          return stock
              .async()
              .claim(claimant, 1, claimant)
              .thenApply(result -> result.outcome() == expected);
        });
  }

  @Override
  public Elements filter(String name, int size, double rate) {
    BloomFilter<String> filter = sluice.bloomFilter(name, Funnel.utf8(), BloomSpec.of(size, rate));
    filter.create();
    return new Elements(
        KeyedCall.of(filter::mightContain, filter.async()::mightContain),
        KeyedCall.of(filter::add, filter.async()::add),
        filter::addAll,
        elements -> filter.mightContainAll(elements).stream().filter(maybe -> maybe).count());
  }

  @Override
  public Shelf cache(
      String name, Tier tier, boolean patient, Function<String, byte @Nullable []> loader) {
    CacheOptions<String, byte[]> plain =
        CacheOptions.of(String.class, Codec.bytes()).ttl(Shelf.TTL);
    CacheOptions<String, byte[]> options =
        patient
            ? plain.deadline(Duration.ofSeconds(1))
            : deadline().map(plain::deadline).orElse(plain);
    return switch (tier) {
      case NEAR ->
          shelf(
              GuardedCache.create(
                  sluice, name, options.near(Shelf.NEAR_SIZE).nearTtl(Shelf.NEAR_TTL), loader),
              null);
      case STORE -> shelf(GuardedCache.create(sluice, name, options, loader), null);
      case GUARDED -> {
        BloomFilter<String> existing =
            sluice.bloomFilter(
                name, Funnel.utf8(), BloomSpec.of(Shelf.GUARDED_KEYS, Shelf.GUARDED_RATE));
        existing.create();
        yield shelf(
            GuardedCache.create(sluice, name, options.existsIn(existing), loader), existing);
      }
    };
  }

  /** Of a guarded cache, that keys exist is all that is stocked. */
  private static Shelf shelf(
      GuardedCache<String, byte[]> cache, @Nullable BloomFilter<String> existing) {
    return new Shelf(
        key -> cache.get(key).orElse(null),
        (keys, value) -> {
          if (existing != null) {
            existing.addAll(keys);
          } else {
            keys.forEach(key -> cache.put(key, value));
          }
        },
        cache::invalidate);
  }
}
