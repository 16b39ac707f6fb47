package dev.sluice.console.http;

import java.time.Duration;

/**
 * Limits on the connections that a console server keeps open.
 *
 * @param all the most connections
 * @param perAddress the most connections of one address; of one /64 network for IPv6
 * @param request the longest time from the start of a connection, or from the last response, until
 *     the next request has arrived with its body
 * @param write the longest time until a client has taken one response, or one event of a stream
 */
public record ConnectionBounds(int all, int perAddress, Duration request, Duration write) {
  public static final ConnectionBounds DEFAULT =
      new ConnectionBounds(256, 64, Duration.ofSeconds(20), Duration.ofSeconds(20));

  public ConnectionBounds {
    if (perAddress < 1 || all < perAddress || request.isNegative() || write.isNegative()) {
      throw new IllegalArgumentException("bounds must be positive, and all >= perAddress");
    }
  }
}
