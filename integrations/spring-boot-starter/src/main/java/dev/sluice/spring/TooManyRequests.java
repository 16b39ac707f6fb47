package dev.sluice.spring;

import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The answer to a refused request: 429, {@code Retry-After}, a problem document (RFC 9457). */
final class TooManyRequests {
  private static final int STATUS = 429;
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  private TooManyRequests() {}

  static void write(
      HttpServletResponse response, String limiter, List<Limit> tiers, Decision decision)
      throws IOException {
    byte[] body = problem(limiter, tiers, decision).getBytes(StandardCharsets.UTF_8);
    response.setStatus(STATUS);
    response.setHeader("Retry-After", Long.toString(RateLimitFields.retryAfter(decision)));
    response.setContentType("application/problem+json");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** While the store is away nobody has counted, so no quota is said to be exceeded. */
  static String problem(String limiter, List<Limit> tiers, Decision decision) {
    if (decision.source() == Decision.Source.FALLBACK) {
      return "{\"type\":\"about:blank\",\"title\":\"Too Many Requests\",\"status\":429}";
    }
    String policy = RateLimitFields.policyName(limiter, tiers, decision.refusedBy().orElse("1"));
    return "{\"type\":\"%s\",\"title\":\"Quota exceeded\",\"status\":429,\"violated-policies\":[%s]}"
        .formatted(QUOTA_EXCEEDED, quoted(policy));
  }

  static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || Character.isSurrogate(c)) {
        out.append("\\u%04x".formatted((int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
