package dev.sluice.bench.systems;

/** A lock library under test, with a client and connections of its own. */
public interface LockSystem extends AutoCloseable {
  /**
   * A lock for one thread.
   *
   * @throws IllegalArgumentException if the library does not have this habit
   */
  Mutex mutex(String name, Habit habit);

  @Override
  void close();

  /** Refuses what a library cannot do, so that no table shows a habit it did not have. */
  static void requirePlain(Habit habit) {
    if (habit != Habit.PLAIN) {
      throw new IllegalArgumentException("only Sluice has locks that are " + habit);
    }
  }
}
