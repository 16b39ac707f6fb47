package dev.sluice.spring;

import dev.sluice.limit.Decision;

/**
 * A {@link RateLimited} method without a fallback was refused; it did not run. In a Spring MVC
 * application the answer is 429 with {@code Retry-After}, unless a handler of its own says
 * otherwise. The key is left out, so that it reaches no client and no log.
 */
public final class RateLimitedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String limiter;
  private final transient Decision decision;

  RateLimitedException(String limiter, Decision decision) {
    super("refused by rate limiter '%s': retry after %s".formatted(limiter, decision.retryAfter()));
    this.limiter = limiter;
    this.decision = decision;
  }

  /** {@return the name of the limiter that refused} */
  public String limiter() {
    return limiter;
  }

  /** {@return what it said} */
  public Decision decision() {
    return decision;
  }
}
