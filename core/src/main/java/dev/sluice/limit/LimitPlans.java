package dev.sluice.limit;

import org.jspecify.annotations.Nullable;

/**
 * Returns the plan of a key, such as {@code "pro"}. {@link RateLimiterOptions#plan} says which
 * limits a plan has.
 *
 * <p>A limiter calls it on the caller's thread before it calls the store, once for each decision,
 * by many threads at the same time. It must be safe for that and fast: look plans up in a cache,
 * not in a database. If it throws, the call throws {@link dev.sluice.SluiceException} with that
 * cause, and nothing is counted.
 *
 * <p>Processes that return different plans for one key convert its count at each change.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LimitPlans {

  /**
   * Returns the plan of a key.
   *
   * @param key whose permits
   * @return the name of the plan; null for the limits that the limiter has without a plan. They
   *     also apply if the limiter has no plan of that name, and one WARNING is logged
   */
  @Nullable String planOf(String key);
}
