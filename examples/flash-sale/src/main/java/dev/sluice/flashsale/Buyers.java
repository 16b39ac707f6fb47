package dev.sluice.flashsale;

import dev.sluice.spring.http.RateLimitKeyResolver;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** The limit on orders per buyer, and the number of refused orders. */
@Configuration(proxyBeanMethods = false)
final class Buyers {
  /** Stands for a login: a buyer is whom the request says. */
  static final String HEADER = "X-Buyer";

  /** What lets a buyer into the sale of the limited stock. */
  static final String TOKEN = "X-Sale-Token";

  /** Names a claim: the same when it is sent again. */
  static final String REQUEST = "X-Request-Id";

  /** How names of the built-in crowd begin. */
  static final String CROWD = "crowd/";

  private static final String ORDERS = "/sale/";

  /** A request without a name is a new buyer, as every request of ab is. */
  @Bean
  RateLimitKeyResolver buyer(Instance here) {
    return request -> {
      String name = request.getHeader(HEADER);
      return name == null || name.isBlank()
          ? "new/" + here.url() + "/" + request.getRequestId()
          : "buyer/" + name;
    };
  }

  /** Sees the answer of the limit, which stands behind it. */
  @Component
  @Order(-100)
  static final class Refusals extends OncePerRequestFilter {
    private final Sales sales;

    Refusals(Sales sales) {
      this.sales = sales;
    }

    @Override
    protected void doFilterInternal(
        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
        throws ServletException, IOException {
      long start = System.nanoTime();
      chain.doFilter(request, response);
      // The servlet of the limited stock counts for itself, and may not have answered yet.
      if (!request.isAsyncStarted()
          && response.getStatus() == 429
          && request.getServletPath().startsWith(ORDERS)
          && !request.getServletPath().endsWith("/" + LimitedStock.STRATEGY)) {
        sales.refused(request.getServletPath().substring(ORDERS.length()), start);
      }
    }
  }
}
