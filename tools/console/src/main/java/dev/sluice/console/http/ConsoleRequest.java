package dev.sluice.console.http;

import static java.util.Objects.requireNonNull;

import java.io.InputStream;
import java.net.InetAddress;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request that a server passes to the console.
 *
 * @param method in capitals, as on the wire
 * @param path inside the console, decoded, with a slash at its beginning
 * @param query what follows the question mark, not decoded; null for nothing
 * @param header finds a header by its name, in any case; answers null if there is none
 * @param body what follows the headers; read by the console up to its bound
 * @param remote from where the request came, for the audit; null if unknown
 */
public record ConsoleRequest(
    String method,
    String path,
    @Nullable String query,
    Function<String, @Nullable String> header,
    InputStream body,
    @Nullable InetAddress remote) {

  /** Checks that no part is missing. */
  public ConsoleRequest {
    requireNonNull(method, "method must not be null");
    requireNonNull(path, "path must not be null");
    requireNonNull(header, "header must not be null");
    requireNonNull(body, "body must not be null");
  }

  @Nullable
  public String header(String name) {
    return header.apply(name);
  }

  /** The user of the request, for the audit log. */
  public String who() {
    return remote == null ? "unknown" : remote.getHostAddress();
  }
}
