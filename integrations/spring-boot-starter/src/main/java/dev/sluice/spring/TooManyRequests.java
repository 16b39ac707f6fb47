package dev.sluice.spring;

import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;

/** The answer to a refused request: 429, {@code Retry-After}, a problem document. */
final class TooManyRequests {
  private static final int STATUS = 429;
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  private TooManyRequests() {}

  static void write(
      HttpServletResponse response, String limiter, List<Limit> tiers, Decision decision)
      throws IOException {
    response.setHeader("Retry-After", Long.toString(RateLimitFields.retryAfter(decision)));
    problem(limiter, tiers, decision).write(response);
  }

  /** While the store is away nobody has counted, so no quota is said to be exceeded. */
  static ProblemDocument problem(String limiter, List<Limit> tiers, Decision decision) {
    if (decision.source() == Decision.Source.FALLBACK) {
      return new ProblemDocument(ProblemDocument.BLANK, "Too Many Requests", STATUS);
    }
    String policy = RateLimitFields.policyName(limiter, tiers, decision.refusedBy().orElse("1"));
    return new ProblemDocument(QUOTA_EXCEEDED, "Quota exceeded", STATUS)
        .with("violated-policies", List.of(policy));
  }
}
