package dev.sluice.redis.connection;

import io.lettuce.core.resource.ClientResources;
import java.util.concurrent.TimeUnit;

/** Runs a task later. */
@FunctionalInterface
public interface Timer {

  /**
   * Runs a task once.
   *
   * @param nanos how long from now
   * @param task must not block
   */
  void in(long nanos, Runnable task);

  /** A timer on the threads of a client. */
  static Timer of(ClientResources resources) {
    return (nanos, task) ->
        resources.eventExecutorGroup().schedule(task, nanos, TimeUnit.NANOSECONDS);
  }
}
