package dev.sluice.cache;

import dev.sluice.SluiceException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** Runs tasks on a waiting thread until their outcome is known. */
final class CallerRuns implements Executor {
  private static final Runnable WAKE = () -> {};

  private final Executor afterwards;
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  // guarded by this
  private boolean gone;

  /**
   * Runs the loads of one waiting caller.
   *
   * @param afterwards runs what comes too late
   */
  CallerRuns(Executor afterwards) {
    this.afterwards = afterwards;
  }

  @Override
  public void execute(Runnable task) {
    synchronized (this) {
      if (!gone) {
        tasks.add(task);
        return;
      }
    }
    afterwards.execute(task);
  }

  /**
   * Waits on this thread.
   *
   * @throws SluiceException if the thread is interrupted; it stays so
   */
  void await(CompletableFuture<?> outcome, String what) {
    outcome.whenComplete((value, failure) -> tasks.add(WAKE));
    try {
      while (!outcome.isDone()) {
        tasks.take().run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      outcome.cancel(false);
      throw new SluiceException("interrupted while waiting for " + what, e);
    } finally {
      leave();
    }
  }

  private void leave() {
    synchronized (this) {
      gone = true;
    }
    for (@Nullable Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      if (task != WAKE) {
        afterwards.execute(task);
      }
    }
  }
}
