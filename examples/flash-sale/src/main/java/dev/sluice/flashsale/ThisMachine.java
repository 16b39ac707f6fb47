package dev.sluice.flashsale;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Answers only requests that name this machine, if it listens on this machine only. Otherwise a
 * page on the web could point its own host name here, and the browser would let it in.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
@ConditionalOnProperty(name = "server.address", havingValue = "127.0.0.1")
final class ThisMachine extends OncePerRequestFilter {
  private static final Set<String> NAMES = Set.of("localhost", "127.0.0.1", "[::1]");

  @Override
  protected void doFilterInternal(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws ServletException, IOException {
    if (NAMES.contains(request.getServerName().toLowerCase(Locale.ROOT))) {
      chain.doFilter(request, response);
    } else {
      response.sendError(421, "this demo answers to localhost and 127.0.0.1 only");
    }
  }
}
