package dev.sluice.spi;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * What every backend is told.
 *
 * @param requestTimeout longest time that one request may stay without an answer; after it the
 *     backend completes the request's stage with {@link dev.sluice.OutcomeUnknownException}
 */
public record BackendSettings(Duration requestTimeout) {

  /** Checks the timeout. */
  public BackendSettings {
    requireNonNull(requestTimeout, "requestTimeout must not be null");
    if (requestTimeout.compareTo(Duration.ofMillis(1)) < 0
        || requestTimeout.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException("requestTimeout must be 1ms to 1d: " + requestTimeout);
    }
  }
}
