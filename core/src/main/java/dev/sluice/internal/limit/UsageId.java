package dev.sluice.internal.limit;

import dev.sluice.spi.LimitRule;
import dev.sluice.text.Names;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * The printable form of a use, with all data that a process needs to settle it. Applications keep
 * it, so processes with another version of Sluice must read it. Its parts are separated by dots,
 * and numbers are in base 36. The last part is a checksum of the others, the limiter and the key.
 *
 * @param stored what the store knows the settlement by
 * @param estimate permits that were taken, at least 1
 * @param begunAt when, by the store's clock in microseconds; 0 if the store holds no estimate
 * @param withinMicros how long after that a settlement counts
 * @param policy checksum of the limits that it began under
 */
record UsageId(String stored, long estimate, long begunAt, long withinMicros, long policy) {
  private static final int RADIX = 36;
  private static final long MAX_BEGUN_AT = 1L << 52;
  private static final long MAX_WITHIN = 86_400_000_000L;
  private static final Pattern FORM =
      Pattern.compile("(?<stored>[A-Za-z0-9_-]{1,64})" + "\\.([0-9a-z]{1,11})".repeat(5));

  /** {@return the printable value} */
  String text(String limiter, String key) {
    String parts = stored + part(estimate) + part(begunAt) + part(withinMicros) + part(policy);
    return parts + part(check(limiter, key, parts));
  }

  private static String part(long number) {
    return "." + Long.toString(number, RADIX);
  }

  /**
   * Parses a printable value.
   *
   * @throws IllegalArgumentException if it is none, or one of another limiter or key
   */
  static UsageId of(String limiter, String key, String text) {
    Matcher form = FORM.matcher(text);
    if (form.matches()) {
      long[] parts = new long[5];
      for (int i = 0; i < parts.length; i++) {
        parts[i] = Long.parseLong(form.group(i + 2), RADIX);
      }
      UsageId id = new UsageId(form.group("stored"), parts[0], parts[1], parts[2], parts[3]);
      if (parts[4] == check(limiter, key, text.substring(0, text.lastIndexOf('.')))
          && id.isInRange()) {
        return id;
      }
    }
    throw new IllegalArgumentException(
        "usage id does not belong to rate limiter "
            + Names.quoted(limiter)
            + " and key "
            + Names.quoted(key)
            + ": "
            + Names.quoted(text));
  }

  private boolean isInRange() {
    return estimate >= 1
        && estimate <= LimitRule.MAX_COST
        && begunAt <= MAX_BEGUN_AT
        && withinMicros <= MAX_WITHIN;
  }

  private static long check(String limiter, String key, String parts) {
    return checksum(limiter.length() + ":" + limiter + key.length() + ":" + key + parts);
  }

  static long checksum(String text) {
    CRC32 sum = new CRC32();
    sum.update(text.getBytes(StandardCharsets.UTF_8));
    return sum.getValue();
  }
}
