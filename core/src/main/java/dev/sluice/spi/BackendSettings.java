package dev.sluice.spi;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings that every backend receives.
 *
 * @param requestTimeout longest time that one request may stay without an answer; after it the
 *     backend completes the request's stage with {@link dev.sluice.OutcomeUnknownException}
 * @param namespace what the backend keeps apart from all else in the store, by the rule of {@link
 *     Namespace}; null: what is in no namespace
 * @since 0.1
 */
public record BackendSettings(Duration requestTimeout, @Nullable String namespace) {

  /** Checks the values. */
  public BackendSettings {
    requireNonNull(requestTimeout, "requestTimeout must not be null");
    if (requestTimeout.compareTo(Duration.ofMillis(1)) < 0
        || requestTimeout.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException("requestTimeout must be 1ms to 1d: " + requestTimeout);
    }
    if (namespace != null) {
      Namespace.check(namespace);
    }
  }

  /**
   * Settings without a namespace.
   *
   * @param requestTimeout 1 ms to one day
   */
  public BackendSettings(Duration requestTimeout) {
    this(requestTimeout, null);
  }

  /**
   * Settings for the store of a URI; a namespace here overrides that of the URI.
   *
   * @param uri a URI of any store
   * @return these settings, or the same with the URI's namespace
   * @throws IllegalArgumentException if the URI's namespace breaks the rule
   */
  public BackendSettings forUri(String uri) {
    String named = Namespace.of(uri);
    return namespace != null || named == null ? this : new BackendSettings(requestTimeout, named);
  }
}
