package dev.sluice.bench.systems;

import java.time.Duration;
import java.util.Optional;

/** After how long an outage policy of ours decides, where no number is judged. */
final class Deadline {
  /** In milliseconds; for tests, whose machine may stall for longer than the usual deadlines. */
  private static final String PROPERTY = "sluice.bench.deadline";

  private Deadline() {}

  /** {@return what to use instead of the library's default, if anything} */
  static Optional<Duration> chosen() {
    return Optional.ofNullable(Long.getLong(PROPERTY)).map(Duration::ofMillis);
  }
}
