package dev.sluice.bench.scale;

import dev.sluice.Sluice;
import dev.sluice.bench.run.Loop;
import dev.sluice.bench.run.LoopOutcome;
import dev.sluice.bench.run.SharedPage;
import dev.sluice.bench.run.WorkOrder;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.inventory.Inventory;
import dev.sluice.limit.Decision;
import dev.sluice.limit.RateLimiter;
import dev.sluice.lock.Lease;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * The clients of one worker process on one errand, from start to stop. Clients have no threads: an
 * answer begins the next turn.
 */
final class CrowdLoop extends Loop {
  static final int BURST = 20;
  static final int TOGETHER = 16;

  private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final WorkOrder order;
  private final ClientTask task;
  private final int processes;
  private final long keys;
  private final SharedPage page;
  private final WorkerClients crowd;
  private final List<Turns> callers = new ArrayList<>();
  private final Set<CompletableFuture<Lease>> waiting = ConcurrentHashMap.newKeySet();
  private final AtomicLong claimants = new AtomicLong();
  private final LongAdder total = new LongAdder();
  private final LongAdder measured = new LongAdder();
  private final Histogram waits = sharedHistogram();
  private final Histogram turns = sharedHistogram();
  private final CountDownLatch left;

  /** One turn, from question to answer. */
  private interface Turn {
    CompletionStage<?> take(long asked);
  }

  /**
   * The first so many clients of a process.
   *
   * @param processes how many processes there are
   * @param keys how many keys there are to choose from
   */
  CrowdLoop(
      WorkerClients crowd, WorkOrder order, ClientTask task, int processes, int clients, long keys)
      throws IOException {
    this.crowd = crowd;
    this.order = order;
    this.task = task;
    this.processes = processes;
    this.keys = keys;
    this.page = SharedPage.map(Path.of(order.page()));
    for (int i = 0; i < clients; i++) {
      Turn turn = turn(crowd.client(i), i);
      int together = task == ClientTask.CLAIMS_TOGETHER ? TOGETHER : 1;
      for (int c = 0; c < together; c++) {
        callers.add(new Turns(turn));
      }
    }
    this.left = new CountDownLatch(callers.size());
  }

  private static Histogram sharedHistogram() {
    return new ConcurrentHistogram(1, MAX_NANOS, 2);
  }

  private Turn turn(Sluice sluice, int index) {
    int number = order.process() - 1 + index * processes;
    return switch (task) {
      case OWN_LOCK -> lock(sluice, () -> order.name() + "/" + number);
      case PAIR_LOCK -> lock(sluice, () -> order.name() + "/" + number / 2);
      case ANY_LOCK -> lock(sluice, () -> anyOf(order.name()));
      case HOT_LOCK -> hotLock(sluice);
      case HOT_LIMIT, LEASED_LIMIT -> limit(sluice, () -> "hot");
      case ANY_LIMIT -> limit(sluice, () -> anyOf(""));
      case CLAIM, CLAIMS_TOGETHER -> claim(sluice, index);
    };
  }

  private String anyOf(String prefix) {
    return WorkerClients.member(prefix, ThreadLocalRandom.current().nextLong(keys));
  }

  private interface Name {
    String get();
  }

  private Turn lock(Sluice sluice, Name name) {
    return asked ->
        sluice
            .lock(name.get())
            .async()
            .acquire(WorkerClients.PATIENCE)
            .thenCompose(
                lease -> {
                  count(waits, System.nanoTime() - asked);
                  return lease.releaseAsync();
                })
            .thenAccept(CrowdLoop::requireHeld);
  }

  private Turn hotLock(Sluice sluice) {
    return asked -> {
      CompletableFuture<Lease> acquiring =
          sluice.lock(order.name()).async().acquire(WorkerClients.PATIENCE).toCompletableFuture();
      waiting.add(acquiring);
      return acquiring
          .whenComplete((lease, broken) -> waiting.remove(acquiring))
          .thenCompose(lease -> handOn(lease, asked))
          .thenAccept(CrowdLoop::requireHeld);
    };
  }

  /** What is on the page was written under the lock. */
  private CompletionStage<Boolean> handOn(Lease lease, long asked) {
    long got = System.nanoTime();
    long released = page.releasedAt();
    page.increment();
    if (released != 0 && asked < released) {
      count(waits, got - released);
    }
    page.releasing(order.process(), System.nanoTime());
    return lease.releaseAsync();
  }

  private static void requireHeld(boolean held) {
    if (!held) {
      throw new IllegalStateException("a lease was lost");
    }
  }

  private Turn limit(Sluice sluice, Name key) {
    RateLimiter limiter = WorkerClients.limiter(sluice, order.name(), task);
    return asked -> limiter.async().tryAcquire(key.get(), 1).thenAccept(this::requireStore);
  }

  private void requireStore(Decision decision) {
    if (decision.source() == Decision.Source.FALLBACK) {
      throw new IllegalStateException("the outage policy decided: no answer within the deadline");
    }
  }

  private Turn claim(Sluice sluice, int index) {
    Inventory stock = WorkerClients.stock(sluice, order.name(), index == 0);
    return asked -> {
      String claimant = "user/" + order.process() + "/" + claimants.incrementAndGet();
      return stock
          .async()
          .claim(claimant, 1, claimant)
          .thenAccept(
              result -> {
                if (result.outcome() != ClaimResult.Outcome.ACCEPTED) {
                  throw new IllegalStateException(order.name() + " answered " + result);
                }
              });
    };
  }

  @Override
  protected void start() {
    if (task == ClientTask.LEASED_LIMIT) {
      callers.forEach(each -> later(each, ThreadLocalRandom.current().nextLong(BURST_NANOS)));
    } else {
      callers.forEach(Turns::goOn);
    }
  }

  private void later(Turns caller, long afterNanos) {
    crowd.source().scheduler().schedule(caller::burst, afterNanos);
  }

  /** Lets every turn end, and sums up. Who waits for the hot lock gives up. */
  @Override
  protected LoopOutcome stop() throws InterruptedException {
    stopped = true;
    waiting.forEach(acquiring -> acquiring.cancel(false));
    boolean all = left.await(80, TimeUnit.SECONDS);
    Throwable broken = failure;
    if (broken != null) {
      throw new IllegalStateException(order.name() + ": " + broken, broken);
    }
    if (!all) {
      throw new IllegalStateException(
          left.getCount() + " callers did not come back from " + order.name() + " within 80 s");
    }
    return outcome(total.sum(), new long[] {measured.sum()}, waits.copy(), turns.copy());
  }

  private void count(Histogram times, long time) {
    if (measuring) {
      times.recordValue(Math.max(1, Math.min(time, MAX_NANOS)));
    }
  }

  private final class Turns {
    private final Turn turn;

    Turns(Turn turn) {
      this.turn = turn;
    }

    /** An answer that has come already does not deepen the stack. */
    void goOn() {
      while (!stopped && failure == null) {
        CompletableFuture<Void> answered = one();
        if (!answered.isDone()) {
          answered.whenComplete((done, broken) -> goOn());
          return;
        }
      }
      left.countDown();
    }

    void burst() {
      if (stopped || failure != null) {
        left.countDown();
        return;
      }
      long next = System.nanoTime() + BURST_NANOS;
      CompletableFuture<?>[] calls = new CompletableFuture<?>[BURST];
      for (int i = 0; i < BURST; i++) {
        calls[i] = one();
      }
      CompletableFuture.allOf(calls)
          .whenComplete((done, broken) -> later(this, Math.max(0, next - System.nanoTime())));
    }

    private boolean gaveUp(Throwable broken) {
      return stopped
          && (broken instanceof CancellationException
              || broken.getCause() instanceof CancellationException);
    }

    /** Never completes with a failure: that ends everything. */
    private CompletableFuture<Void> one() {
      long asked = System.nanoTime();
      CompletionStage<?> answer;
      try {
        answer = turn.take(asked);
      } catch (RuntimeException e) {
        failure = e;
        return CompletableFuture.completedFuture(null);
      }
      return answer
          .handle(
              (done, broken) -> {
                if (broken != null) {
                  failure = gaveUp(broken) ? failure : broken;
                } else {
                  total.increment();
                  if (measuring) {
                    measured.increment();
                  }
                  count(turns, System.nanoTime() - asked);
                }
                return (Void) null;
              })
          .toCompletableFuture();
    }
  }
}
