package dev.sluice.limit;

import static java.util.Objects.requireNonNull;

import dev.sluice.SluiceException;
import dev.sluice.text.Names;

/**
 * A rate limiter refused a call whose caller wants an exception instead of a {@link Decision}.
 * Nothing was taken. The key is left out of the message, so that it reaches no client and no log.
 *
 * @since 0.1
 */
public final class RateLimitedException extends SluiceException {
  private static final long serialVersionUID = 1L;

  private final String limiter;
  private final transient Decision decision;

  /**
   * Creates an exception with the limiter's name and the time of a retry.
   *
   * @param limiter the name of the limiter that refused
   * @param decision the refusal
   */
  public RateLimitedException(String limiter, Decision decision) {
    super(
        "refused by rate limiter "
            + Names.quoted(limiter)
            + ": retry after "
            + requireNonNull(decision, "decision must not be null").retryAfter(),
        null);
    this.limiter = limiter;
    this.decision = decision;
  }

  /** {@return the name of the limiter that refused} */
  public String limiter() {
    return limiter;
  }

  /** {@return the refusal} */
  public Decision decision() {
    return decision;
  }
}
