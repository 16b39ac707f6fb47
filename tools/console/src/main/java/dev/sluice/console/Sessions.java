package dev.sluice.console;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who may look, by a token, or by a cookie that was given for it. Tokens and cookies are compared
 * by their hashes, in constant time. Safe for use by many threads.
 */
final class Sessions {
  static final String COOKIE = "sluice_console";
  static final Duration LIFE = Duration.ofHours(12);
  static final int MIN_TOKEN = 16;
  private static final int MOST = 64;
  private static final int TRIES = 10;
  private static final long TRIES_NANOS = Duration.ofMinutes(1).toNanos();

  private final byte @Nullable [] token;
  private final LongSupplier nanos;
  private final SecureRandom random = new SecureRandom();
  // guarded by this
  private final Map<String, Long> ends = new LinkedHashMap<>();
  private final Deque<Long> failures = new ArrayDeque<>();

  Sessions(@Nullable String token, LongSupplier nanos) {
    this.token = token == null ? null : hash(token);
    this.nanos = nanos;
  }

  static String checkToken(String token) {
    if (token.length() < MIN_TOKEN || !token.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new IllegalArgumentException(
          "token must be at least " + MIN_TOKEN + " printable ASCII characters without blanks");
    }
    return token;
  }

  boolean needToken() {
    return token != null;
  }

  /** Whether a request comes with the token, or with a cookie that was given for it. */
  boolean admits(ConsoleRequest request) {
    if (token == null) {
      return true;
    }
    String bearer = request.header("Authorization");
    if (bearer != null && bearer.startsWith("Bearer ")) {
      return isToken(bearer.substring("Bearer ".length()).trim());
    }
    String cookie = cookie(request);
    return cookie != null && isOpen(key(cookie));
  }

  private boolean isToken(String offered) {
    boolean right = MessageDigest.isEqual(token, hash(offered));
    if (!right) {
      failed();
    }
    return right;
  }

  private synchronized void failed() {
    failures.addLast(nanos.getAsLong());
    if (failures.size() > TRIES) {
      failures.removeFirst();
    }
  }

  /**
   * Opens a session.
   *
   * @return the cookie's value
   * @throws Refusal if the token is not the right one, or too many were not
   */
  String open(String offered) {
    if (tooManyFailures()) {
      throw new Refusal(429, "too-many-tries", "too many wrong tokens; try again in a minute");
    }
    if (!isToken(offered)) {
      throw new Refusal(401, "wrong-token", "this is not the console's token");
    }
    byte[] bits = new byte[24];
    random.nextBytes(bits);
    String cookie = Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
    synchronized (this) {
      if (ends.size() >= MOST) {
        ends.remove(ends.keySet().iterator().next());
      }
      ends.put(key(cookie), nanos.getAsLong() + LIFE.toNanos());
    }
    return cookie;
  }

  private synchronized boolean tooManyFailures() {
    long now = nanos.getAsLong();
    while (!failures.isEmpty() && now - failures.getFirst() > TRIES_NANOS) {
      failures.removeFirst();
    }
    return failures.size() >= TRIES;
  }

  void close(ConsoleRequest request) {
    String cookie = cookie(request);
    if (cookie != null) {
      synchronized (this) {
        ends.remove(key(cookie));
      }
    }
  }

  private synchronized boolean isOpen(String key) {
    Long end = ends.get(key);
    if (end == null) {
      return false;
    }
    if (nanos.getAsLong() - end >= 0) {
      ends.remove(key);
      return false;
    }
    return true;
  }

  private static @Nullable String cookie(ConsoleRequest request) {
    String header = request.header("Cookie");
    if (header == null) {
      return null;
    }
    for (String pair : header.split(";", -1)) {
      String trimmed = pair.trim();
      if (trimmed.startsWith(COOKIE + "=")) {
        return trimmed.substring(COOKIE.length() + 1);
      }
    }
    return null;
  }

  /** What is kept of a cookie: to look a hash up tells nothing of the cookie by its time. */
  private static String key(String cookie) {
    return Base64.getEncoder().encodeToString(hash(cookie));
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
