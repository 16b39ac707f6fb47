package dev.sluice.internal.call;

import dev.sluice.spi.Scheduler;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** One daemon thread that runs due tasks. */
public final class SystemScheduler implements Scheduler, AutoCloseable {
  private final ScheduledThreadPoolExecutor timer;

  /** Starts no thread until something is scheduled. */
  public SystemScheduler() {
    timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "sluice-timer");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
  }

  @Override
  public Runnable schedule(Runnable task, long delayNanos) {
    try {
      Future<?> future = timer.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    } catch (RejectedExecutionException e) {
      return () -> {}; // closed: nothing is due any more
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
