package dev.sluice.spring.fencing;

import dev.sluice.BackendException;
import dev.sluice.guard.FencingHeader;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.Guard;
import dev.sluice.guard.MemoryGuard;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.spring.fencing.FencingProperties.Required;
import dev.sluice.spring.internal.RequestedPath;
import dev.sluice.text.Names;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.pattern.PathPattern;

/**
 * Checks the fencing token of requests at a guard, before the application handles them. A guard in
 * memory admits one token at a time until its requests have been answered, so no other token is
 * admitted in between. Any other guard is called before, and the application finds the token in the
 * request to pass it to the database.
 */
final class FencingFilter extends OncePerRequestFilter {
  private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

  /** A variable of a path, or of a resource. */
  static final Pattern VARIABLE = Pattern.compile("\\{(\\w+)}");

  private final List<Rule> rules;
  private final ConcurrentHashMap<Access, Section> underWay = new ConcurrentHashMap<>();

  private record Access(MemoryGuard guard, String resource) {}

  /** The requests under way at a guard in memory, all of one section. */
  private record Section(FencingToken token, int requests) {}

  /** A checked rule of the settings. */
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

  private void check(
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
      alone(memory, resource, token, request, response, chain);
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

  /**
   * No thread waits for the request of another client. While another token has a request under way,
   * the answer is 503.
   */
  private void alone(
      MemoryGuard guard,
      String resource,
      FencingToken token,
      HttpServletRequest request,
      HttpServletResponse response,
      FilterChain chain)
      throws ServletException, IOException {
    Access access = new Access(guard, resource);
    boolean entered = enter(access, token);
    boolean goesOn = false;
    try {
      // after entering: no other token is admitted in between
      if (!advance(guard, resource, token, response)) {
        return;
      }
      if (!entered) {
        response.setHeader("Retry-After", "1");
        FencingProblem.write(
            response,
            503,
            "Service Unavailable",
            "a request with another fencing token is under way");
        return;
      }
      chain.doFilter(request, response);
      if (request.isAsyncStarted()) {
        request.getAsyncContext().addListener(new Leaving(access));
        goesOn = true;
      }
    } finally {
      if (entered && !goesOn) {
        leave(access);
      }
    }
  }

  private boolean enter(Access access, FencingToken token) {
    return underWay
        .compute(
            access,
            (key, now) ->
                now == null
                    ? new Section(token, 1)
                    : now.token.equals(token) ? new Section(token, now.requests + 1) : now)
        .token
        .equals(token);
  }

  private void leave(Access access) {
    underWay.computeIfPresent(
        access, (key, now) -> now.requests == 1 ? null : new Section(now.token, now.requests - 1));
  }

  /** Leaves the guard when an asynchronous request has been answered. */
  private final class Leaving implements AsyncListener {
    private final Access access;

    Leaving(Access access) {
      this.access = access;
    }

    @Override
    public void onComplete(AsyncEvent event) {
      leave(access);
    }

    @Override
    public void onStartAsync(AsyncEvent event) { // which forgets the listeners so far
      event.getAsyncContext().addListener(this);
    }

    @Override
    public void onTimeout(AsyncEvent event) {}

    @Override
    public void onError(AsyncEvent event) {}
  }
}
