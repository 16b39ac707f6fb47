package dev.sluice.spring.internal;

import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * The number of permits that one call or request takes.
 *
 * @since 0.1
 */
public final class PermitCost {
  private PermitCost() {}

  /**
   * Refuses a cost that no key could ever pass.
   *
   * @param place the property, or the class and method of the annotation
   * @param cost permits
   * @throws SettingException if it is below 1 or above what the limiter admits in one call
   */
  public static void check(String place, RateLimiter limiter, long cost) {
    RateLimiterOptions options = limiter.options();
    long most =
        Stream.of(List.of(options.limits()), options.overrides().values(), options.plans().values())
            .flatMap(Collection::stream)
            .flatMap(List::stream)
            .mapToLong(limit -> Math.max(1, limit.capacity()))
            .min()
            .orElseThrow();
    if (cost < 1 || cost > most) {
      throw new SettingException(
          place,
          "must be 1 to " + most + ", what '" + limiter.name() + "' admits in one call: " + cost);
    }
  }
}
