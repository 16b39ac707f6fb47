package dev.sluice.spring.http;

import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.spring.internal.RequestedPath;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.pattern.PathPattern;

/** Checks the limiters of every rule that matches, before the application handles the request. */
final class RateLimitFilter extends OncePerRequestFilter {
  private final List<Rule> rules;
  private final boolean fields;

  /** A checked rule of the settings. */
  record Rule(PathPattern path, RateLimiter limiter, RateLimitKeyResolver key, long cost) {}

  RateLimitFilter(List<Rule> rules, boolean fields) {
    this.rules = List.copyOf(rules);
    this.fields = fields;
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    RequestedPath path = RequestedPath.of(request, response);
    if (path == null) {
      return;
    }
    // By policy name: where two rules share a limiter, the later one has the say.
    Map<String, String> policies = new LinkedHashMap<>();
    Map<String, String> states = new LinkedHashMap<>();
    for (Rule rule : rules) {
      String key = path.match(rule.path) == null ? null : rule.key.resolve(request);
      if (key == null) {
        continue;
      }
      List<Limit> tiers = rule.limiter.limitsOf(key); // first: if it fails, nothing is spent
      Decision decision = rule.limiter.tryAcquire(key, rule.cost);
      String limiter = rule.limiter.name();
      if (fields) {
        announce(response, limiter, tiers, decision, policies, states);
      }
      if (!decision.allowed()) {
        TooManyRequests.write(response, rule.limiter, tiers, decision);
        return;
      }
    }
    chain.doFilter(request, response);
  }

  private static void announce(
      HttpServletResponse response,
      String limiter,
      List<Limit> tiers,
      Decision decision,
      Map<String, String> policies,
      Map<String, String> states) {
    RateLimitFields.policies(limiter, tiers).forEach(item -> policies.put(name(item), item));
    String state = RateLimitFields.state(limiter, tiers, decision);
    if (!state.isEmpty()) {
      states.put(name(state), state);
    }
    set(response, "RateLimit-Policy", policies);
    set(response, "RateLimit", states);
  }

  private static String name(String item) {
    return item.substring(0, item.lastIndexOf("\";"));
  }

  private static void set(HttpServletResponse response, String field, Map<String, String> items) {
    if (!items.isEmpty()) {
      response.setHeader(field, String.join(", ", items.values()));
    }
  }
}
