package dev.sluice.bench.soak;

import dev.sluice.Sluice;
import dev.sluice.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Clients that use everything at once, and clients that come and go. */
final class Load implements AutoCloseable {
  static final List<String> PRIMITIVES =
      List.of(
          "locks",
          "read-write locks",
          "semaphores",
          "limits",
          "Bloom filter",
          "guarded caches",
          "limited stock");

  private static final int CLIENTS = 3;
  private static final int LONGEST_REST_MILLIS = 20;
  private static final Duration VISITS = Duration.ofSeconds(2);
  private static final Duration LONGEST_END = Duration.ofSeconds(30);

  private final String uri;
  private final String prefix;
  private final Tally tally;
  private final LockWork locks;
  private final LimitWork limits;
  private final BloomWork blooms;
  private final CacheWork caches;
  private final StockWork stocks;
  private final List<Sluice> clients = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final SplittableRandom random;
  private final AtomicLong visits = new AtomicLong();
  private volatile boolean stop;

  Load(String uri, String prefix, long seed, Tally tally) {
    this.uri = uri;
    this.prefix = prefix;
    this.tally = tally;
    this.random = new SplittableRandom(seed);
    this.locks = new LockWork(prefix, tally);
    this.limits = new LimitWork(prefix, tally);
    this.blooms = new BloomWork(prefix, tally);
    this.caches = new CacheWork(prefix, tally);
    this.stocks = new StockWork(prefix, tally);
  }

  /** Connects and begins; to be called while nothing goes wrong yet. */
  void begin() {
    for (int i = 0; i < CLIENTS; i++) {
      Sluice sluice = connect();
      clients.add(sluice);
      worker("locks", locks.locks(sluice));
      worker("locks", locks.locks(sluice));
      worker("read-write locks", locks.readWriteLocks(sluice));
      worker("read-write locks", locks.readWriteLocks(sluice));
      worker("semaphores", locks.semaphores(sluice));
      worker("semaphores", locks.semaphores(sluice));
      worker("limits", limits.limits(sluice));
      worker("Bloom filter", blooms.bloom(sluice));
      worker("guarded caches", caches.caches(sluice));
      worker("guarded caches", caches.caches(sluice));
      worker("limited stock", stocks.stock(sluice, i == 0));
    }
    thread("soak-visitor", this::visits);
  }

  private Sluice connect() {
    return Sluice.builder().uri(uri).requestTimeout(Duration.ofSeconds(1)).build();
  }

  private void worker(String primitive, Work work) {
    SplittableRandom own = random.split();
    thread("soak-" + primitive, () -> work(primitive, work, own));
  }

  private void thread(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private void work(String primitive, Work work, SplittableRandom own) {
    while (!stop) {
      try {
        TimeUnit.MILLISECONDS.sleep(own.nextInt(LONGEST_REST_MILLIS));
        work.turn(own);
      } catch (InterruptedException e) {
        return;
      } catch (Exception e) {
        tally.failed(primitive, e);
      }
    }
  }

  /** What a client leaves behind when it is closed adds up. */
  private void visits() {
    while (!stop) {
      try {
        TimeUnit.NANOSECONDS.sleep(VISITS.toNanos());
        visit("visit-" + visits.incrementAndGet());
        tally.done("clients");
      } catch (InterruptedException e) {
        return;
      } catch (Exception e) {
        tally.failed("clients", e);
      }
    }
  }

  private void visit(String name) throws InterruptedException {
    Duration wait = Duration.ofSeconds(1);
    try (Sluice sluice = connect()) {
      sluice.lock(prefix + name).acquire(wait).close();
      sluice.semaphore(prefix + name, 2).acquire(wait).close();
      sluice.readWriteLock(prefix + name + "-rw").readLock().acquire(wait).close();
      sluice
          .rateLimiter(prefix + name, Limit.tokenBucket(5, 5, Duration.ofSeconds(1)))
          .tryAcquire("key");
    }
  }

  /** Ends the workers, closes the clients. Idempotent. */
  @Override
  public void close() {
    stop = true;
    threads.forEach(Thread::interrupt);
    long deadline = System.nanoTime() + LONGEST_END.toNanos();
    boolean interrupted = false;
    for (Thread thread : threads) {
      try {
        thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    clients.forEach(Sluice::close);
    clients.clear();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
