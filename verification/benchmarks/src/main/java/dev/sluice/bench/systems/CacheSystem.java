package dev.sluice.bench.systems;

import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A caching library under test, with a client and connections of its own. */
public interface CacheSystem extends AutoCloseable {
  /** How long everybody's values live; none ends while it is measured. */
  Duration TTL = Duration.ofMinutes(10);

  /** How long copies in the process live at most. */
  Duration NEAR_TTL = Duration.ofMinutes(1);

  /** How many copies everybody keeps in the process at most. */
  int NEAR_SIZE = 10_000;

  /** How many keys the filter of {@link Tier#GUARDED} is made for. */
  int GUARDED_KEYS = 100_000;

  /** Its rate of false alarms once it has them all. */
  double GUARDED_RATE = 0.01;

  /**
   * A cache that all threads of a process share.
   *
   * @param name what processes share
   * @param loader reads what stands for a database; null means absent
   * @throws IllegalArgumentException if the library does not have this tier or habit
   */
  Shelf shelf(String name, Tier tier, Habit habit, Function<String, byte @Nullable []> loader)
      throws Exception;

  @Override
  void close();

  /** Refuses what a library cannot do, so that no table shows what it did not have. */
  static void require(boolean able, Tier tier, Habit habit) {
    if (!able) {
      throw new IllegalArgumentException(
          "the library has no cache that is " + tier + " and " + habit);
    }
  }
}
