package dev.sluice.spi;

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
    if (requestTimeout.isNegative() || requestTimeout.isZero()) {
      throw new IllegalArgumentException("requestTimeout must be positive: " + requestTimeout);
    }
  }
}
