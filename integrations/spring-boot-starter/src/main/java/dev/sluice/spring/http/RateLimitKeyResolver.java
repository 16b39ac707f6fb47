package dev.sluice.spring.http;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the key whose permits a request spends. A bean of this type is named by the {@code key}
 * of a rule. Safe for use by many threads.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface RateLimitKeyResolver {

  /**
   * Finds the key.
   *
   * @param request the request, before the application has seen it. Earlier filters may have
   *     replaced its remote address by what the client wrote
   * @return the key; one of more than 512 bytes is replaced by its hash. Null exempts the request
   *     from this rule
   */
  @Nullable String resolve(HttpServletRequest request);
}
