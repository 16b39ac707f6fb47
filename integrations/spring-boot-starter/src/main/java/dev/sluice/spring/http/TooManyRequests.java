package dev.sluice.spring.http;

import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.Outage;
import dev.sluice.limit.RateLimiter;
import dev.sluice.spring.internal.ProblemDocument;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;

/**
 * The answer to a refused request: 429, {@code Retry-After}, a problem document. 503 if the store
 * is unreachable and the limiter refuses all calls then.
 */
final class TooManyRequests {
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  private TooManyRequests() {}

  static void write(
      HttpServletResponse response, RateLimiter limiter, List<Limit> tiers, Decision decision)
      throws IOException {
    response.setHeader("Retry-After", Long.toString(RateLimitFields.retryAfter(decision)));
    problem(limiter.name(), tiers, decision, limiter.options().outage().kind()).write(response);
  }

  /** While the store is unreachable, the answer names no exceeded quota. */
  static ProblemDocument problem(
      String limiter, List<Limit> tiers, Decision decision, Outage.Kind outage) {
    if (decision.source() == Decision.Source.FALLBACK) {
      return outage == Outage.Kind.CLOSED
          ? new ProblemDocument(ProblemDocument.BLANK, "Service Unavailable", 503)
          : new ProblemDocument(ProblemDocument.BLANK, "Too Many Requests", 429);
    }
    String policy = RateLimitFields.policyName(limiter, tiers, decision.refusedBy().orElse("1"));
    return new ProblemDocument(QUOTA_EXCEEDED, "Quota exceeded", 429)
        .with("violated-policies", List.of(policy));
  }
}
