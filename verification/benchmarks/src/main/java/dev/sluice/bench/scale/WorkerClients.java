package dev.sluice.bench.scale;

import dev.sluice.Sluice;
import dev.sluice.bench.run.Worker;
import dev.sluice.inventory.Inventory;
import dev.sluice.inventory.InventoryOptions;
import dev.sluice.inventory.Sale;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The clients of one worker process. */
final class WorkerClients {
  /** Long enough for the last of ten thousand. */
  static final Duration PATIENCE = Duration.ofMinutes(2);

  /** A number that no client uses, so that its key stays as one use leaves it. */
  static final long TEMPLATE = 99_999_999;

  private static final long PLENTY = 1_000_000_000;
  private static final int AT_ONCE = 8;

  /** A timeout that no client reaches: a crowd on two cores is slower than a fleet. */
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  private final SluiceCrowd source;
  private final List<Sluice> clients = new ArrayList<>();

  private WorkerClients(SluiceCrowd source) {
    this.source = source;
  }

  /** The clients of this worker process. */
  static WorkerClients of(Worker worker) throws Exception {
    return worker.keep("crowd", () -> new WorkerClients((SluiceCrowd) worker.library()));
  }

  /** Makes sure that there are so many clients, connected. */
  void grow(int count, int ownInboxes) throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Future<Sluice>> fresh = new ArrayList<>();
      for (int i = clients.size(); i < count; i++) {
        boolean own = i < ownInboxes;
        fresh.add(pool.submit(() -> source.open(own)));
      }
      for (Future<Sluice> each : fresh) {
        clients.add(each.get());
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(
          "client " + (clients.size() + 1) + " of " + count + ": " + e.getCause(), e);
    } finally {
      pool.shutdownNow();
    }
  }

  Sluice client(int index) {
    return clients.get(index);
  }

  SluiceCrowd source() {
    return source;
  }

  /** Leaves the key of one name behind. */
  void touch(ClientTask task, String name) throws InterruptedException {
    Sluice sluice = clients.get(0);
    if (task == ClientTask.ANY_LOCK) {
      sluice.lock(member(name, TEMPLATE)).acquire(PATIENCE).release();
    } else {
      limiter(sluice, name, task).tryAcquire(member("", TEMPLATE));
    }
  }

  /** One of ten million names, all of the same length. */
  static String member(String prefix, long number) {
    return prefix + String.valueOf(100_000_000L + number).substring(1);
  }

  static RateLimiter limiter(Sluice sluice, String name, ClientTask task) {
    RateLimiterOptions options =
        RateLimiterOptions.of(
                task == ClientTask.ANY_LIMIT
                    ? Limit.gcra(10_000, Duration.ofSeconds(10_000))
                    : Limit.gcra(1_000_000, Duration.ofSeconds(1)).burst(1_000_000_000))
            .deadline(DEADLINE);
    return sluice.rateLimiter(name, task == ClientTask.LEASED_LIMIT ? options.leasing() : options);
  }

  /** The stock of a name; the first who asks opens it. */
  static Inventory stock(Sluice sluice, String name, boolean opens) {
    Inventory stock =
        sluice.inventory(name, InventoryOptions.defaults().timeout(Duration.ofSeconds(10)));
    if (opens) {
      stock.open(Sale.epoch(1).total(PLENTY).drained());
    }
    return stock;
  }
}
