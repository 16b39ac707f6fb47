package dev.sluice.console;

import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a request may be answered at all. Without a token only this machine may ask, and
 * only by a name that no stranger's DNS can point here; what changes something must come from the
 * console's own page or from a program, never from another page in the same browser.
 */
final class Access {
  /** A page of another origin cannot send this header without asking first, and is refused then. */
  static final String OWN_HEADER = "Sluice-Console";

  private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");

  private final Sessions sessions;

  Access(Sessions sessions) {
    this.sessions = sessions;
  }

  /** Every request. */
  void checkPlace(ConsoleRequest request) {
    if (sessions.needToken()) {
      return;
    }
    if (!request.isFromThisMachine() || isForwarded(request)) {
      throw new Refusal(
          403, "not-local", "without a token the console answers this machine only; set a token");
    }
    String host = request.header("Host");
    if (host == null || !THIS_MACHINE.contains(name(host))) {
      throw new Refusal(
          403, "wrong-host", "without a token the console answers to localhost and 127.0.0.1 only");
    }
  }

  private static boolean isForwarded(ConsoleRequest request) {
    return request.header("Forwarded") != null
        || request.header("X-Forwarded-For") != null
        || request.header("Via") != null;
  }

  /** What has data. */
  void checkReader(ConsoleRequest request) {
    if (!sessions.admits(request)) {
      throw new Refusal(
          401, "sign-in", "send the token: Authorization: Bearer TOKEN, or sign in at the page");
    }
    String site = request.header("Sec-Fetch-Site");
    if (site != null && !site.equals("same-origin") && !site.equals("none")) {
      throw new Refusal(403, "cross-site", "another site's page may not read the console");
    }
  }

  /** What changes something, signing in included. */
  void checkWriter(ConsoleRequest request) {
    String type = request.header("Content-Type");
    String kind = type == null ? "" : type.split(";", 2)[0].trim().toLowerCase(Locale.ROOT);
    if (!kind.equals("application/json")) {
      throw new Refusal(415, "not-json", "send Content-Type: application/json");
    }
    if (request.header(OWN_HEADER) == null) {
      throw new Refusal(403, "no-own-header", "send the header " + OWN_HEADER + ": 1");
    }
    String site = request.header("Sec-Fetch-Site");
    String origin = request.header("Origin");
    boolean same =
        (site == null || site.equals("same-origin"))
            && (origin == null || sameHost(origin, request.header("Host")));
    if (!same) {
      throw new Refusal(403, "cross-site", "another site's page may not change anything");
    }
  }

  private static boolean sameHost(String origin, @Nullable String host) {
    if (host == null) {
      return false;
    }
    try {
      String authority = URI.create(origin).getRawAuthority();
      return authority != null && authority.equalsIgnoreCase(host.trim());
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static String name(String host) {
    String trimmed = host.trim().toLowerCase(Locale.ROOT);
    int port = trimmed.lastIndexOf(':');
    return port > trimmed.lastIndexOf(']') ? trimmed.substring(0, port) : trimmed;
  }
}
