package dev.sluice.spring;

import dev.sluice.BackendException;
import dev.sluice.guard.FencingHeader;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.guard.MemoryGuard;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.spi.Names;
import dev.sluice.spring.FencingProperties.Required;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Checks the fencing token of requests at a guard, before the application sees them. A guard in
 * memory is kept until the request has been answered, so nobody comes in between; any other one is
 * asked before, and the application finds the token in the request to show it to the database.
 */
final class FencingFilter extends OncePerRequestFilter {
  private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

  /** A variable of a path, or of a resource. */
  static final Pattern VARIABLE = Pattern.compile("\\{(\\w+)}");

  private final List<Rule> rules;

  /** A rule of the settings, checked. */
  record Rule(PathPattern path, String resource, Guard guard, Required required) {
    private boolean wantsToken(HttpServletRequest request) {
      return switch (required) {
        case ALWAYS -> true;
        case NEVER -> false;
        case WRITES -> !READS.contains(request.getMethod());
      };
    }

    private String resource(Map<String, String> variables) {
      return Names.check(
          VARIABLE
              .matcher(resource)
              .replaceAll(
                  found -> Matcher.quoteReplacement(variables.getOrDefault(found.group(1), ""))));
    }
  }

  FencingFilter(List<Rule> rules) {
    this.rules = List.copyOf(rules);
  }

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    RequestedPath path = RequestedPath.of(request, response);
    if (path == null) {
      return;
    }
    for (Rule rule : rules) {
      PathPattern.PathMatchInfo match = path.match(rule.path);
      if (match != null) {
        check(rule, match.getUriVariables(), request, response, chain);
        return;
      }
    }
    chain.doFilter(request, response);
  }

  private static void check(
      Rule rule,
      Map<String, String> variables,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws ServletException, IOException {
    FencingToken token;
    String resource;
    try {
      token = token(request);
      resource = rule.resource(variables);
    } catch (IllegalArgumentException e) {
      FencingProblem.write(response, 400, "Bad Request", String.valueOf(e.getMessage()));
      return;
    }
    if (token == null) {
      if (rule.wantsToken(request)) {
        FencingProblem.write(
            response,
            428,
            "Precondition Required",
            "the header " + FencingHeader.NAME + " is missing");
      } else {
        chain.doFilter(request, response);
      }
      return;
    }
    request.setAttribute(FencingHeader.NAME, token);
    if (rule.guard instanceof MemoryGuard memory) {
      throughMemory(memory, resource, token, request, response, chain);
    } else if (advance(rule.guard, resource, token, response)) {
      chain.doFilter(request, response);
    }
  }

  private static @Nullable FencingToken token(HttpServletRequest request) {
    List<String> values = Collections.list(request.getHeaders(FencingHeader.NAME));
    if (values.size() > 1) {
      throw new IllegalArgumentException("more than one " + FencingHeader.NAME);
    }
    return values.isEmpty() ? null : FencingToken.parse(values.get(0));
  }

  private static boolean advance(
      Guard guard, String resource, FencingToken token, HttpServletResponse response)
      throws IOException {
    try {
      guard.advance(resource, token);
      return true;
    } catch (StaleTokenException e) {
      FencingProblem.write(response, e);
    } catch (BackendException e) {
      FencingProblem.write(
          response, 503, "Service Unavailable", "the fencing token cannot be checked at present");
    }
    return false;
  }

  private static void throughMemory(
      MemoryGuard guard,
      String resource,
      FencingToken token,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws ServletException, IOException {
    boolean[] entered = new boolean[1];
    try {
      guard.<Boolean, Exception>access(
          resource,
          token,
          () -> {
            entered[0] = true;
            chain.doFilter(request, response);
            return true;
          });
    } catch (StaleTokenException e) {
      if (entered[0]) {
        throw e; // of a guard in the application
      }
      FencingProblem.write(response, e);
    } catch (IOException | ServletException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new ServletException(e); // a chain throws nothing else
    }
  }
}
