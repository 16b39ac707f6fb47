package dev.sluice.bench.soak;

import dev.sluice.Sluice;
import dev.sluice.limit.Limit;
import dev.sluice.lock.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Clients that use all features together, and clients that come and go. */
final class SoakLoad implements AutoCloseable {
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

  /** A worker's pace. Keys that stay for a minute are as many as its calls, on any machine. */
  private static final long CALL_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

  /** More than a client remembers when they are idle, and how many of them it requests together. */
  private static final int NAMES_BEFORE = 10_500;

  private static final int AT_ONCE = 500;
  private static final Duration VISITS = Duration.ofSeconds(2);
  private static final Duration MAX_END = Duration.ofSeconds(30);

  private final String uri;
  private final String prefix;
  private final LoadCounts counts;
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

  SoakLoad(String uri, String prefix, long seed, LoadCounts counts) {
    this.uri = uri;
    this.prefix = prefix;
    this.counts = counts;
    this.random = new SplittableRandom(seed);
    this.locks = new LockWork(prefix, counts);
    this.limits = new LimitWork(prefix, counts);
    this.blooms = new BloomWork(prefix, counts);
    this.caches = new CacheWork(prefix, counts);
    this.stocks = new StockWork(prefix, counts);
  }

  /**
   * Connects and begins; to be called while nothing goes wrong yet.
   *
   * @param fill whether each client first uses more names than it remembers
   */
  void begin(boolean fill) {
    for (int i = 0; i < CLIENTS; i++) {
      Sluice sluice = connect();
      clients.add(sluice);
      if (fill) {
        fill(sluice, i);
      }
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

  /** What is remembered of names would grow through most of a run: it is full before. */
  private void fill(Sluice sluice, int client) {
    for (int from = 0; from < NAMES_BEFORE; from += AT_ONCE) {
      CompletableFuture<?>[] asked = new CompletableFuture<?>[AT_ONCE];
      for (int i = 0; i < AT_ONCE; i++) {
        asked[i] =
            sluice
                .lock(prefix + "before-" + client + "-" + (from + i))
                .async()
                .acquire(MAX_END)
                .thenCompose(Lease::releaseAsync)
                .toCompletableFuture();
      }
      CompletableFuture.allOf(asked).join();
    }
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
    long next = System.nanoTime();
    while (!stop) {
      try {
        next = Math.max(next, System.nanoTime() - CALL_NANOS) + own.nextLong(2 * CALL_NANOS);
        TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
        work.turn(own);
      } catch (InterruptedException e) {
        return;
      } catch (Exception e) {
        counts.failed(primitive, e);
      }
    }
  }

  /** What a client leaves behind when it is closed adds up. */
  private void visits() {
    while (!stop) {
      try {
        TimeUnit.NANOSECONDS.sleep(VISITS.toNanos());
        visit("visit-" + visits.incrementAndGet());
        counts.done("clients");
      } catch (InterruptedException e) {
        return;
      } catch (Exception e) {
        counts.failed("clients", e);
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
          .rateLimiter(prefix + name, Limit.tokenBucket(5, Duration.ofSeconds(1)))
          .tryAcquire("key");
    }
  }

  /** Ends the workers, closes the clients. Idempotent. */
  @Override
  public void close() {
    stop = true;
    threads.forEach(Thread::interrupt);
    long deadline = System.nanoTime() + MAX_END.toNanos();
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
