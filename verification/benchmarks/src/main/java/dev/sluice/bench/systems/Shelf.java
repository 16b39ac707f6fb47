package dev.sluice.bench.systems;

import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One cache of a library, shared by the threads of a process.
 *
 * @param get returns the value, loaded where it is not cached; null for absent
 * @param stock stores one value under all keys
 * @param drop drops a key everywhere, so that the next reader has to load it
 */
public record Shelf(
    Function<String, byte @Nullable []> get,
    BiConsumer<List<String>, byte[]> stock,
    Consumer<String> drop) {
  /** How long the values of all libraries live; none expires while it is measured. */
  public static final Duration TTL = Duration.ofMinutes(10);

  /** How long copies in the process live at most. */
  public static final Duration NEAR_TTL = Duration.ofMinutes(1);

  /** How many copies are kept in the process at most. */
  public static final int NEAR_SIZE = 10_000;

  /** How many keys the filter of {@link Tier#GUARDED} is made for. */
  public static final int GUARDED_KEYS = 100_000;

  /** Its rate of false positives once it has them all. */
  public static final double GUARDED_RATE = 0.01;
}
