package dev.sluice.bench.systems;

import java.util.List;

/** A rate limiting library under test, with a client and connections of its own. */
public interface LimitSystem extends AutoCloseable {
  /**
   * A limiter that all threads of a process share.
   *
   * @param name name of the limiter
   * @param keys every key that it will be asked for; made ready where a library wants that
   * @throws IllegalArgumentException if the library does not have this shape or habit
   */
  Gate gate(String name, List<String> keys, Allowance allowance, Habit habit) throws Exception;

  @Override
  void close();

  /** Refuses what a library cannot do, so that no table shows what it did not have. */
  static void require(boolean able, Allowance allowance, Habit habit) {
    if (!able) {
      throw new IllegalArgumentException(
          "the library has no limiter that is " + allowance.shape() + " and " + habit);
    }
  }
}
