package dev.sluice.console.http;

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

/**
 * Authenticates readers by the token, or by the key of a session that was started with it. A
 * browser sends neither by itself, so no page of another site or port can use them. Both are
 * compared by their hashes. Safe for use by many threads.
 */
public final class Sessions {
  public static final String HEADER = "Sluice-Console";
  public static final Duration LIFE = Duration.ofHours(12);
  static final int MIN_TOKEN = 16;
  private static final int MAX_COUNT = 64;
  private static final int TRIES = 10;
  private static final long TRIES_NANOS = Duration.ofMinutes(1).toNanos();

  private static final SecureRandom RANDOM = new SecureRandom();

  private final byte[] token;
  private final LongSupplier nanos;
  // guarded by this
  private final Map<String, Long> ends = new LinkedHashMap<>();
  private final Deque<Long> failures = new ArrayDeque<>();

  public Sessions(String token, LongSupplier nanos) {
    this.token = hash(token);
    this.nanos = nanos;
  }

  public static String checkToken(String token) {
    if (token.length() < MIN_TOKEN || !token.chars().allMatch(c -> c > ' ' && c < 127)) {
      throw new IllegalArgumentException(
          "token must be at least " + MIN_TOKEN + " printable ASCII characters without blanks");
    }
    return token;
  }

  /** {@return 192 random bits, for a token or the key of a session} */
  public static String random() {
    byte[] bits = new byte[24];
    RANDOM.nextBytes(bits);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
  }

  public boolean admits(ConsoleRequest request) {
    String bearer = request.header("Authorization");
    if (bearer != null && bearer.startsWith("Bearer ")) {
      return isToken(bearer.substring("Bearer ".length()).trim());
    }
    String key = request.header(HEADER);
    return key != null && isOpen(stored(key));
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
   * @return the key of the session
   * @throws Refusal if the token is not the right one, or too many were not
   */
  public String open(String offered) {
    if (tooManyFailures()) {
      throw new Refusal(429, "too-many-tries", "too many wrong tokens; try again in a minute");
    }
    if (!isToken(offered)) {
      throw new Refusal(401, "wrong-token", "this is not the console's token");
    }
    String key = random();
    synchronized (this) {
      if (ends.size() >= MAX_COUNT) {
        ends.remove(ends.keySet().iterator().next());
      }
      ends.put(stored(key), nanos.getAsLong() + LIFE.toNanos());
    }
    return key;
  }

  private synchronized boolean tooManyFailures() {
    long now = nanos.getAsLong();
    while (!failures.isEmpty() && now - failures.getFirst() > TRIES_NANOS) {
      failures.removeFirst();
    }
    return failures.size() >= TRIES;
  }

  public void close(ConsoleRequest request) {
    String key = request.header(HEADER);
    if (key != null) {
      synchronized (this) {
        ends.remove(stored(key));
      }
    }
  }

  private synchronized boolean isOpen(String stored) {
    Long end = ends.get(stored);
    if (end == null) {
      return false;
    }
    if (nanos.getAsLong() - end >= 0) {
      ends.remove(stored);
      return false;
    }
    return true;
  }

  /**
   * The stored form of a key, hashed so that the time of a look-up reveals nothing about the key.
   */
  private static String stored(String key) {
    return Base64.getEncoder().encodeToString(hash(key));
  }

  private static byte[] hash(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
