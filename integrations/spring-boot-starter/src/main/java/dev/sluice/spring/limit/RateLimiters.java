package dev.sluice.spring.limit;

import dev.sluice.Sluice;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.spring.internal.SettingException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The rate limiters of the application by name: those under {@code sluice.limiters} and those
 * {@link #add added} at run time. Safe for use by many threads.
 *
 * @since 0.1
 */
public final class RateLimiters {
  private static final System.Logger LOG = System.getLogger("dev.sluice.limit");

  private final Sluice sluice;
  private final Supplier<Map<String, RateLimiterOptions>> settings;
  private final Map<String, RateLimiter> limiters = new ConcurrentHashMap<>();
  // guarded by this
  private Map<String, RateLimiterOptions> known = Map.of();
  private final List<Consumer<RateLimiter>> listeners = new ArrayList<>();

  RateLimiters(Sluice sluice, Supplier<Map<String, RateLimiterOptions>> settings) {
    this.sluice = sluice;
    this.settings = settings;
    reload();
  }

  /**
   * Finds a limiter.
   *
   * @param name its name
   * @return the limiter, the same object each time
   * @throws IllegalArgumentException if there is none of that name
   */
  public RateLimiter get(String name) {
    RateLimiter limiter = limiters.get(name);
    if (limiter == null) {
      throw new IllegalArgumentException(
          "no limiter '"
              + name
              + "' under sluice.limiters; configured limiters: "
              + (limiters.isEmpty() ? "none" : String.join(", ", names())));
    }
    return limiter;
  }

  /** {@return the present names, sorted; a copy} */
  public Set<String> names() {
    return new TreeSet<>(limiters.keySet());
  }

  /**
   * Adds a limiter that the settings do not contain.
   *
   * @param name what processes share, 1 to 512 bytes of UTF-8
   * @param options its policy
   * @return the limiter
   * @throws IllegalArgumentException if there is one of that name already
   */
  public synchronized RateLimiter add(String name, RateLimiterOptions options) {
    if (limiters.containsKey(name)) {
      throw new IllegalArgumentException("limiter '" + name + "' exists: update it instead");
    }
    RateLimiter limiter = sluice.rateLimiter(name, options);
    limiters.put(name, limiter);
    listeners.forEach(listener -> listener.accept(limiter));
    return limiter;
  }

  /**
   * Changes the policy of a limiter in this process, from the next decision on. Give it a higher
   * version, so that processes with the older one follow; see {@link RateLimiter#update}.
   *
   * @param name its name
   * @param options the new policy
   * @throws IllegalArgumentException if there is no such limiter, or if the version goes back
   */
  public synchronized void update(String name, RateLimiterOptions options) {
    get(name).update(options);
  }

  /**
   * Reads {@code sluice.limiters} again and applies the changes, for configuration that changes at
   * run time. Limiters that are new are added, limiters that are gone stay as they were. Either
   * every change is taken over or, when a setting is wrong, none. Where the policy book has a
   * higher version in force, that one stays.
   *
   * <p>With Spring Cloud this happens by itself when the environment changes; a wrong setting is
   * then logged, and nothing changes.
   *
   * @throws IllegalArgumentException if a setting is wrong or a version goes back
   */
  public synchronized void reload() {
    Map<String, RateLimiterOptions> policies = settings.get();
    policies.forEach(
        (name, policy) -> {
          RateLimiterOptions before = known.get(name);
          if (before != null && policy.version() < before.version()) {
            throw new SettingException(
                "sluice.limiters." + name + ".version",
                "must not decrease: " + policy.version() + " after " + before.version());
          }
        });
    policies.forEach(
        (name, policy) -> {
          RateLimiter limiter = limiters.get(name);
          if (limiter == null) {
            create(name, policy);
          } else if (!policy.equals(known.get(name))
              && policy.version() >= limiter.options().version()) {
            limiter.update(policy);
          }
        });
    known = Map.copyOf(policies);
  }

  /** Reads the settings again; logs wrong ones. */
  void reloadIfRight() {
    try {
      reload();
    } catch (IllegalArgumentException e) {
      LOG.log(System.Logger.Level.WARNING, "limits stay as they were: {0}", e.getMessage());
    }
  }

  /** Calls back for each present and future limiter. */
  synchronized void onLimiter(Consumer<RateLimiter> listener) {
    limiters.values().forEach(listener);
    listeners.add(listener);
  }

  private void create(String name, RateLimiterOptions policy) {
    try {
      add(name, policy);
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      throw new SettingException("sluice.limiters." + name, String.valueOf(e.getMessage()));
    }
  }
}
