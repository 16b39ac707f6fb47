package dev.sluice.redis;

/** Runs something later. */
@FunctionalInterface
interface Timer {

  /**
   * Runs a task once.
   *
   * @param nanos how long from now
   * @param task must not block
   */
  void in(long nanos, Runnable task);
}
