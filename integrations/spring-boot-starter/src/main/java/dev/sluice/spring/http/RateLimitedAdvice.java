package dev.sluice.spring.http;

import dev.sluice.limit.RateLimitedException;
import dev.sluice.limit.RateLimiter;
import dev.sluice.spring.limit.RateLimiters;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers 429, or 503 while the store is unreachable, if a controller throws a {@link
 * RateLimitedException}. Stands before an advice without an order, which may catch everything; one
 * with a lower order, or a handler in the controller, goes first.
 */
@ControllerAdvice
@Order(0)
final class RateLimitedAdvice {
  private final RateLimiters limiters;

  RateLimitedAdvice(RateLimiters limiters) {
    this.limiters = limiters;
  }

  @ExceptionHandler(RateLimitedException.class)
  void refused(RateLimitedException refusal, HttpServletResponse response) throws IOException {
    RateLimiter limiter = limiters.get(refusal.limiter());
    TooManyRequests.write(response, limiter, limiter.options().limits(), refusal.decision());
  }
}
