package dev.sluice;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.SystemScheduler;
import dev.sluice.spi.Scheduler;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** The threads that a client starts if its builder got none. */
final class OwnThreads {
  private final @Nullable SystemScheduler scheduler;
  private final @Nullable ExecutorService callbacks;

  OwnThreads(boolean scheduler, boolean callbacks) {
    this.scheduler = scheduler ? new SystemScheduler() : null;
    this.callbacks = callbacks ? Executors.newCachedThreadPool(OwnThreads::daemon) : null;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "sluice-callback");
    thread.setDaemon(true);
    return thread;
  }

  Scheduler scheduler() {
    return requireNonNull(scheduler);
  }

  Executor callbacks() {
    ExecutorService pool = requireNonNull(callbacks);
    return task -> {
      try {
        pool.execute(task);
      } catch (RejectedExecutionException e) {
        task.run(); // already shut down: complete on the caller's thread
      }
    };
  }

  void close() {
    if (scheduler != null) {
      scheduler.close();
    }
    if (callbacks != null) {
      callbacks.shutdown();
    }
  }
}
