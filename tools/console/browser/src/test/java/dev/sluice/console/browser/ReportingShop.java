package dev.sluice.console.browser;

import dev.sluice.Sluice;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.bloom.BloomSpec;
import dev.sluice.bloom.Funnel;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import dev.sluice.console.FleetReporter;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.Sale;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.memory.MemoryBackend;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Two processes of a small shop that are at work while a test looks at them. */
final class ReportingShop implements AutoCloseable {
  private static final Duration HOUR = Duration.ofHours(1);

  private final MemoryBackend store = new MemoryBackend();
  private final Sluice console = connect();
  private final Sluice one = connect();
  private final Sluice two = connect();
  private final ScheduledExecutorService work = Executors.newScheduledThreadPool(2);
  private final Random random = new Random(7);
  private int buyers; // of the thread at work

  private ReportingShop() {}

  private Sluice connect() {
    return Sluice.builder().backend(store).build();
  }

  static ReportingShop open() throws Exception {
    ReportingShop shop = new ReportingShop();
    shop.begin();
    return shop;
  }

  private void begin() throws Exception {
    FleetReporter.start(one, "orders-1");
    FleetReporter.start(two, "orders-2");
    hold("orders/42");
    hold("nightly-report");
    one.lock("deploy/eu-west").tryAcquire();
    two.lock("orders/42").async().acquire(HOUR);
    console.lock("orders/42").async().acquire(HOUR);
    one.semaphore("importers", 4).tryAcquire(3);
    one.readWriteLock("catalogue").readLock().tryAcquire();

    BloomFilter<String> ids =
        one.bloomFilter("product-ids", Funnel.utf8(), BloomSpec.of(20_000, 0.01));
    ids.create();
    for (int i = 0; i < 9_000; i++) {
      ids.add("p" + i);
    }
    BloomFilter<String> small =
        two.bloomFilter("seen-carts", Funnel.utf8(), BloomSpec.of(1_000, 0.01));
    small.create();
    for (int i = 0; i < 2_600; i++) {
      small.add("c" + i);
    }
    Inventory tickets = one.inventory("tickets");
    tickets.open(Sale.epoch(7).total(2_000).hold(Duration.ofMinutes(10)));
    Inventory shoes = two.inventory("shoes");
    shoes.open(Sale.epoch(1).total(900).drained());
    GuardedCache<String, String> products = cache(one, "products");
    GuardedCache<String, String> again = cache(two, "products");
    GuardedCache<String, String> prices = cache(two, "prices");
    RateLimiter login =
        one.rateLimiter("login", Limit.tokenBucket(10, Duration.ofSeconds(1)).burst(20));
    RateLimiter loginToo =
        two.rateLimiter("login", Limit.tokenBucket(10, Duration.ofSeconds(1)).burst(20));
    RateLimiter search =
        two.rateLimiter("search", Limit.gcra(400, Duration.ofSeconds(1)).burst(200));
    one.rateLimiter("to-be-changed", Limit.fixedWindow(3, Duration.ofMinutes(1)));
    one.rateLimiter("half-changed", Limit.fixedWindow(3, Duration.ofMinutes(1)));
    work.scheduleAtFixedRate(
        () -> {
          int busy = 3 + random.nextInt(5);
          for (int i = 0; i < busy; i++) {
            login.tryAcquire("user/" + random.nextInt(3));
            loginToo.tryAcquire("user/" + random.nextInt(20));
            search.tryAcquire("ip/" + random.nextInt(40));
            products.get("p" + (int) Math.abs(random.nextGaussian() * 40));
            again.get("p" + (int) Math.abs(random.nextGaussian() * 40));
            prices.get("p" + random.nextInt(400));
          }
          String buyer = "user/" + buyers++;
          tickets.claim(buyer, 1, buyer);
          shoes.claim(buyer, 1, buyer);
        },
        0,
        50,
        TimeUnit.MILLISECONDS);
  }

  private static GuardedCache<String, String> cache(Sluice sluice, String name) {
    return GuardedCache.create(
        sluice,
        name,
        CacheOptions.of(String.class, Codec.utf8()).ttl(Duration.ofSeconds(20)),
        key -> "value of " + key);
  }

  Sluice console() {
    return console;
  }

  /** Shows a process on the consoles that has a limiter, and never does what it is asked to. */
  void showDeafProcess(String process, String limiter, String policy) {
    String report =
        "{\"v\":1,\"process\":\"%s\",\"seq\":1,\"limiters\":[{\"n\":\"%s\",\"p\":[\"%s\"]}]}";
    store
        .notes()
        .put(
            "report",
            process,
            report.formatted(process, limiter, policy),
            TimeUnit.HOURS.toMicros(1))
        .toCompletableFuture()
        .join();
  }

  /** Has the first process hold a lock. */
  void hold(String name) {
    if (one.lock(name).tryAcquire().isEmpty()) {
      throw new IllegalStateException("somebody holds '" + name + "'");
    }
  }

  /** Has each of two processes hold one lock and wait for that of the other. */
  void deadlock(String first, String second) {
    hold(first);
    if (two.lock(second).tryAcquire().isEmpty()) {
      throw new IllegalStateException("somebody holds '" + second + "'");
    }
    one.lock(second).async().acquire(HOUR);
    two.lock(first).async().acquire(HOUR);
  }

  /** Ends the grant of whoever holds a lock, and has the second process hold it. */
  void changeHolder(String name) {
    console.lock(name).forceRelease();
    if (two.lock(name).tryAcquire().isEmpty()) {
      throw new IllegalStateException("somebody else was faster: '" + name + "'");
    }
  }

  /** {@return the token of the grant that stands} */
  long token(String name) {
    return console.inspect().lock(name).holder().orElseThrow().token();
  }

  /** Lets some seconds of history come together, for a picture that shows something. */
  void settle() {
    long end =
        System.nanoTime()
            + TimeUnit.SECONDS.toNanos(Integer.getInteger("sluice.console.settle", 0));
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  @Override
  public void close() {
    work.shutdownNow();
    one.close();
    two.close();
    console.close();
  }
}
