package dev.sluice.guard;

import dev.sluice.lock.Lease;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;

/**
 * Fencing tokens over HTTP. A request carries the token of its section, an answer that refuses it
 * (409 or 412) carries the highest one, in the same header and form:
 *
 * <pre>
 * Fencing-Token = token ":" attempt
 * token         = %x31-39 *15DIGIT                ; 1 to 9007199254740991
 * attempt       = 1*64( ALPHA / DIGIT / "." / "_" / "-" )
 * </pre>
 *
 * <p>A token is no secret and proves nothing. Any client that may send requests may send any token.
 * After a high one the guard refuses the true holders. Authenticate first.
 *
 * @since 0.1
 */
public final class FencingHeader {
  /** {@value}. */
  public static final String NAME = "Fencing-Token";

  /** Another attempt has used the same token. */
  public static final int CONFLICT = 409;

  /** The resource has seen a higher token. */
  public static final int PRECONDITION_FAILED = 412;

  private FencingHeader() {}

  /**
   * Adds the token of a lease to a request, while the lease is held.
   *
   * @param request the request to be
   * @param lease the lease of the section
   * @return the request to be
   * @throws dev.sluice.lock.LeaseLostException if the lease is over
   */
  public static HttpRequest.Builder on(HttpRequest.Builder request, Lease lease) {
    lease.checkHeld();
    return request.setHeader(NAME, FencingToken.of(lease).toString());
  }

  /**
   * Converts an answer that refuses the token to its exception.
   *
   * @param answer the answer to a request that carried a token
   * @param <T> type of its body
   * @return the answer, if it is no such refusal
   * @throws StaleTokenException if it is one; the resource is the path of the request
   */
  public static <T> HttpResponse<T> checked(HttpResponse<T> answer) {
    Optional<FencingToken> highest = refusal(answer.statusCode(), answer.headers().allValues(NAME));
    Optional<String> shown = answer.request().headers().firstValue(NAME);
    if (highest.isPresent() && shown.isPresent()) {
      throw new StaleTokenException(
          String.valueOf(answer.request().uri().getPath()),
          FencingToken.parse(shown.get()),
          highest.get());
    }
    return answer;
  }

  /**
   * Returns the token by which an answer refuses that of its request.
   *
   * @param status its status
   * @param values the values of this header in it
   * @return the highest token, if it does
   */
  public static Optional<FencingToken> refusal(int status, List<String> values) {
    if ((status != CONFLICT && status != PRECONDITION_FAILED) || values.size() != 1) {
      return Optional.empty();
    }
    try {
      return Optional.of(FencingToken.parse(values.get(0)));
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // a 409 that does not come from a guard
    }
  }
}
