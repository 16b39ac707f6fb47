package dev.sluice.spi;

import java.util.concurrent.locks.LockSupport;

/**
 * Runs tasks later. Injected, so that tests can move time themselves.
 *
 * @since 0.1
 */
public interface Scheduler {

  /**
   * Runs a task once after a delay. The task must be short.
   *
   * @param task what to run
   * @param delayNanos zero or more, nanoseconds
   * @return cancels the task when called; calling it late or twice does nothing
   */
  Runnable schedule(Runnable task, long delayNanos);

  /**
   * Parks the current thread until it is unparked or interrupted, at most for a time. May return
   * early for no reason.
   *
   * @param blocker what the thread waits for, for thread dumps
   * @param nanos longest time, positive
   */
  default void park(Object blocker, long nanos) {
    LockSupport.parkNanos(blocker, nanos);
  }
}
