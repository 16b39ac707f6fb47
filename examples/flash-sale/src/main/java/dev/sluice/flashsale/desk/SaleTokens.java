package dev.sluice.flashsale.desk;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tokens that let a buyer into a sale: HMAC-SHA-256 over buyer, sale and window of time. Nothing is
 * stored, so any instance with the same key can tell, and what was made up is turned away before it
 * costs a call to the store. Safe for use by many threads.
 */
public final class SaleTokens {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int MIN_KEY_LENGTH = 16;
  private static final Duration WINDOW = Duration.ofMinutes(5);

  private final SecretKeySpec key;
  private final Clock clock;
  private final ThreadLocal<Mac> mac = ThreadLocal.withInitial(this::newMac);

  /** Tokens of a key of at least 16 bytes, which all instances share. */
  public SaleTokens(byte[] key, Clock clock) {
    if (key.length < MIN_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "the key of sale tokens must have at least " + MIN_KEY_LENGTH + " bytes: " + key.length);
    }
    this.key = new SecretKeySpec(key, ALGORITHM);
    this.clock = clock;
  }

  /** {@return a random key, of letters, digits, minus and underscore} */
  public static String newKey() {
    byte[] key = new byte[32];
    new SecureRandom().nextBytes(key);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(key);
  }

  /** {@return a token for this window and the next, for a buyer who has logged in} */
  public String issue(String buyer, String sale) {
    long window = window();
    return window + "." + sign(buyer, sale, window);
  }

  /**
   * {@return whether a token is this buyer's, for this sale, and of this window or the one before;
   * in a time that does not depend on what is wrong with it}
   */
  public boolean isValid(String token, String buyer, String sale) {
    int dot = token.indexOf('.');
    long window;
    try {
      window = Long.parseLong(token, 0, Math.max(0, dot), 10);
    } catch (NumberFormatException e) {
      return false;
    }
    long now = window();
    if (window != now && window != now - 1) {
      return false;
    }
    byte[] shown = token.substring(dot + 1).getBytes(StandardCharsets.UTF_8);
    byte[] due = sign(buyer, sale, window).getBytes(StandardCharsets.UTF_8);
    return MessageDigest.isEqual(due, shown);
  }

  private long window() {
    return clock.millis() / WINDOW.toMillis();
  }

  /** Lengths stand before the words, so that no other pair of words has the same bytes. */
  private String sign(String buyer, String sale, long window) {
    String words = buyer.length() + ":" + buyer + sale.length() + ":" + sale + window;
    byte[] signature = mac.get().doFinal(words.getBytes(StandardCharsets.UTF_8));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(signature);
  }

  private Mac newMac() {
    try {
      Mac made = Mac.getInstance(ALGORITHM);
      made.init(key);
      return made;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }
}
