package dev.sluice.spring.actuate;

import dev.sluice.Finding;
import dev.sluice.Sluice;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The doctor's last findings. Examines beside the callers, one examination at a time, and not more
 * often than the interval says. Safe for use by many threads.
 */
final class Checkup {
  /**
   * The result of an examination.
   *
   * @param at when it ended
   * @param findings the worst first
   */
  record Result(Instant at, List<Finding> findings) {}

  private final Sluice sluice;
  private final long intervalNanos;
  private final Duration firstWait;
  // guarded by this
  private @Nullable CompletableFuture<Result> last;
  private long startedAt;

  /** The last examination during which the store answered to the end. */
  private volatile @Nullable Result whole;

  Checkup(Sluice sluice, Duration interval, Duration firstWait) {
    if (interval.isNegative() || interval.isZero()) {
      throw new IllegalArgumentException(
          "sluice.health.examine-every must be above zero: " + interval);
    }
    this.sluice = sluice;
    this.intervalNanos = interval.toNanos();
    this.firstWait = firstWait;
  }

  /**
   * Returns the last result, and starts another examination if it is due. Only the first call waits
   * for a result.
   */
  @Nullable Result latest() throws InterruptedException {
    CompletableFuture<Result> running = running();
    if (whole == null) {
      try {
        running.get(firstWait.toNanos(), TimeUnit.NANOSECONDS);
      } catch (ExecutionException | TimeoutException e) {
        return null; // whether the store answers is asked elsewhere
      }
    }
    return whole;
  }

  private synchronized CompletableFuture<Result> running() {
    CompletableFuture<Result> known = last;
    boolean failed = known != null && known.isDone() && whole == null;
    if (known == null
        || failed
        || System.nanoTime() - startedAt >= intervalNanos && known.isDone()) {
      startedAt = System.nanoTime();
      known = CompletableFuture.supplyAsync(this::examine, Checkup::onAThread);
      last = known;
    }
    return known;
  }

  private Result examine() {
    Result result = new Result(Instant.now(), sluice.diagnose());
    boolean answered = result.findings().stream().noneMatch(one -> one.id().equals("silent"));
    if (answered) {
      whole = result;
    }
    return result;
  }

  private static void onAThread(Runnable task) {
    Thread thread = new Thread(task, "sluice-checkup");
    thread.setDaemon(true);
    thread.start();
  }
}
