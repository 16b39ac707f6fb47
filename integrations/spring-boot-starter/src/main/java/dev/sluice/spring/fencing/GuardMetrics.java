package dev.sluice.spring.fencing;

import static java.util.Objects.requireNonNull;

import dev.sluice.guard.GuardStats;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Counts the decisions of a guard, for Micrometer: {@code sluice.guard.accesses}, tagged with the
 * guard's name and the result, {@code admitted} or {@code refused}. Resources are not told apart.
 * Guards and fenced tables that are beans are bound by themselves.
 */
final class GuardMetrics<T> implements MeterBinder {
  private final String name;
  private final T guard; // a registry keeps a weak reference to it
  private final Function<T, GuardStats> stats;

  private GuardMetrics(String name, T guard, Function<T, GuardStats> stats) {
    this.name = name;
    this.guard = guard;
    this.stats = stats;
  }

  /**
   * Meters of a guard.
   *
   * @param name the value of the tag {@code guard}
   * @param guard the guard, which the meters do not keep alive
   * @param stats reads its counts
   * @return what binds them
   */
  static <T> GuardMetrics<T> of(String name, T guard, Function<T, GuardStats> stats) {
    requireNonNull(name, "name must not be null");
    requireNonNull(guard, "guard must not be null");
    return new GuardMetrics<>(name, guard, stats);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    count(registry, "admitted", GuardStats::admitted);
    count(registry, "refused", GuardStats::refused);
  }

  private void count(MeterRegistry registry, String result, ToLongFunction<GuardStats> number) {
    FunctionCounter.builder(
            "sluice.guard.accesses", guard, g -> (double) number.applyAsLong(stats.apply(g)))
        .tags("guard", name, "result", result)
        .description("Accesses that showed a fencing token")
        .register(registry);
  }
}
