package dev.sluice.spring.fencing;

import static java.util.Objects.requireNonNull;

import dev.sluice.guard.FencingHeader;
import dev.sluice.guard.FencingToken;
import dev.sluice.guard.StaleTokenException;
import dev.sluice.lock.Lease;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * Sends the fencing token of a section with its requests, by {@code RestClient} or {@code
 * RestTemplate}, and throws {@link StaleTokenException} if the answer refuses it. The lease is
 * looked at first: once it is over, nothing is sent.
 *
 * <pre>{@code
 * RestClient client = RestClient.builder().requestInterceptor(FencingInterceptor.perRequest()).build();
 * client.put().uri("/accounts/7").attributes(FencingInterceptor.with(lease)).body(…)
 * }</pre>
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
public final class FencingInterceptor implements ClientHttpRequestInterceptor {
  private static final String LEASE = FencingInterceptor.class.getName() + ".lease";

  private final @Nullable Lease lease;

  private FencingInterceptor(@Nullable Lease lease) {
    this.lease = lease;
  }

  /**
   * For a client of many sections: each request names its lease by {@link #with}. A request without
   * a lease carries no token.
   *
   * @return an interceptor
   */
  public static FencingInterceptor perRequest() {
    return new FencingInterceptor(null);
  }

  /**
   * For a client whose requests all belong to one section.
   *
   * @param lease the lease of the section
   * @return an interceptor
   */
  public static FencingInterceptor of(Lease lease) {
    return new FencingInterceptor(requireNonNull(lease, "lease must not be null"));
  }

  /**
   * Sets the lease of a request.
   *
   * @param lease the lease of the section
   * @return what sets it, for the attributes of a request
   */
  public static Consumer<Map<String, Object>> with(Lease lease) {
    requireNonNull(lease, "lease must not be null");
    return attributes -> attributes.put(LEASE, lease);
  }

  /**
   * Sends the request with its token.
   *
   * @throws dev.sluice.lock.LeaseLostException if the lease is over; nothing was sent
   * @throws StaleTokenException if the answer refuses the token; the resource is the request's path
   */
  @Override
  public ClientHttpResponse intercept(
      HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
    Lease section = lease == null ? (Lease) request.getAttributes().get(LEASE) : lease;
    if (section == null) {
      return execution.execute(request, body);
    }
    section.checkHeld();
    FencingToken shown = FencingToken.of(section);
    request.getHeaders().set(FencingHeader.NAME, shown.toString());
    ClientHttpResponse answer = execution.execute(request, body);
    List<String> values = answer.getHeaders().getOrEmpty(FencingHeader.NAME);
    Optional<FencingToken> highest = FencingHeader.refusal(answer.getStatusCode().value(), values);
    if (highest.isPresent()) {
      answer.close();
      throw new StaleTokenException(
          String.valueOf(request.getURI().getPath()), shown, highest.get());
    }
    return answer;
  }
}
