package dev.sluice.spring;

import static java.util.Objects.requireNonNull;

import dev.sluice.guard.GuardStats;
import dev.sluice.guard.Guarding;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToLongFunction;

/**
 * What a guard decided, for Micrometer: {@code sluice.guard.accesses}, tagged with the guard's name
 * and the result, {@code admitted} or {@code refused}. Resources are not told apart. Beans of type
 * {@link Guarding} are bound by themselves.
 */
final class GuardMetrics implements MeterBinder {
  private final String name;
  private final Guarding guard;

  private GuardMetrics(String name, Guarding guard) {
    this.name = name;
    this.guard = guard;
  }

  /**
   * Meters of a guard.
   *
   * @param name the value of the tag {@code guard}
   * @param guard the guard
   * @return what binds them
   */
  static GuardMetrics of(String name, Guarding guard) {
    requireNonNull(name, "name must not be null");
    requireNonNull(guard, "guard must not be null");
    return new GuardMetrics(name, guard);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    count(registry, "admitted", GuardStats::admitted);
    count(registry, "refused", GuardStats::refused);
  }

  private void count(MeterRegistry registry, String result, ToLongFunction<GuardStats> number) {
    FunctionCounter.builder(
            "sluice.guard.accesses", guard, g -> (double) number.applyAsLong(g.stats()))
        .tags("guard", name, "result", result)
        .description("Accesses that showed a fencing token")
        .register(registry);
  }
}
