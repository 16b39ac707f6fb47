package dev.sluice.bench.pictures;

import dev.sluice.Sluice;
import dev.sluice.cache.CacheOptions;
import dev.sluice.cache.Codec;
import dev.sluice.cache.GuardedCache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/** One key that everybody reads, and what the database is asked each time it expires. */
final class Breakdown {
  static final int PROCESSES = 4;
  static final int READERS = 16;
  private static final Duration TTL = Duration.ofMillis(400);
  private static final long LOAD_MILLIS = 60;
  private static final long RUN_MILLIS = 2_000;

  private Breakdown() {}

  /**
   * The queries that the database received.
   *
   * @param loads all queries
   * @param running most queries under way, in each step of time
   */
  record Load(int loads, double[] running) {
    static final double STEP_MILLIS = 20;

    double most() {
      double most = 0;
      for (double now : running) {
        most = Math.max(most, now);
      }
      return most;
    }
  }

  record Outcome(Load plain, Load guarded) {}

  static Outcome run() throws InterruptedException {
    Database first = new Database();
    PlainCache<String> plain =
        new PlainCache<>(() -> System.nanoTime() / 1_000, TTL.toMillis() * 1_000);
    Load before = play(first, process -> () -> plain.get("hot", key -> first.query()));
    Database second = new Database();
    List<Sluice> clients = new ArrayList<>();
    try {
      String store = "memory:breakdown-" + UUID.randomUUID();
      List<GuardedCache<String, String>> caches = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        Sluice client = Sluice.connect(store);
        clients.add(client);
        caches.add(
            GuardedCache.create(
                client,
                "breakdown",
                CacheOptions.of(String.class, Codec.utf8()).ttl(TTL).jitter(0),
                key -> second.query()));
      }
      Load after = play(second, process -> () -> caches.get(process).get("hot"));
      return new Outcome(before, after);
    } finally {
      clients.forEach(Sluice::close);
    }
  }

  /** Counts who is inside. */
  private static final class Database {
    private final long began = System.nanoTime();
    // guarded by this
    private final double[] most = new double[(int) (RUN_MILLIS / Load.STEP_MILLIS)];
    private int running;
    private int loads;

    String query() {
      enter(1);
      try {
        TimeUnit.MILLISECONDS.sleep(LOAD_MILLIS); // the work of a query
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        enter(-1);
      }
      return "row";
    }

    private synchronized void enter(int change) {
      long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
      int step = (int) (now / Load.STEP_MILLIS);
      running += change;
      if (step < most.length) { // a machine that is held up lets the readers run for longer
        loads += Math.max(0, change);
      }
      int last = change > 0 ? step + (int) (LOAD_MILLIS / Load.STEP_MILLIS) : step;
      for (int at = step; at <= last && at < most.length; at++) {
        most[at] = Math.max(most[at], running);
      }
    }

    synchronized Load read() {
      return new Load(loads, most.clone());
    }
  }

  private static Load play(Database database, IntFunction<Runnable> readerOf)
      throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    CountDownLatch left = new CountDownLatch(PROCESSES * READERS);
    for (int i = 0; i < PROCESSES * READERS; i++) {
      Runnable read = readerOf.apply(i % PROCESSES);
      Thread reader =
          new Thread(
              () -> {
                while (!over.get()) {
                  read.run();
                  LockSupport.parkNanos(1_000_000);
                }
                left.countDown();
              });
      reader.setDaemon(true);
      reader.start();
    }
    TimeUnit.MILLISECONDS.sleep(RUN_MILLIS);
    over.set(true);
    if (!left.await(30, TimeUnit.SECONDS)) {
      throw new IllegalStateException("readers do not end");
    }
    return database.read();
  }
}
