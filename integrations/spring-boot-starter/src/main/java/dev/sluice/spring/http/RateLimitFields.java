package dev.sluice.spring.http;

import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * The texts of an answer: {@code Retry-After}, and {@code RateLimit-Policy} and {@code RateLimit}
 * as in revision 10 of draft-ietf-httpapi-ratelimit-headers. They name limiters and tiers, never
 * keys.
 */
final class RateLimitFields {
  private static final long MICROS = 1_000_000;

  private RateLimitFields() {}

  /** {@return the whole seconds until a retry is useful, rounded up, at least 1} */
  static long retryAfter(Decision decision) {
    return Math.max(1, seconds(decision.retryAfter()));
  }

  private static long seconds(Duration time) {
    return time.getNano() > 0 ? time.getSeconds() + 1 : time.getSeconds();
  }

  /** {@return the name of a tier for clients: the limiter, with the tier if there are several} */
  static String policyName(String limiter, List<Limit> tiers, String tier) {
    return tiers.size() == 1 && tiers.get(0).name().isEmpty() ? limiter : limiter + "/" + tier;
  }

  private static String policyName(String limiter, List<Limit> tiers, int index) {
    return policyName(limiter, tiers, tierName(tiers, index));
  }

  private static String tierName(List<Limit> tiers, int index) {
    String name = tiers.get(index).name();
    return name.isEmpty() ? Integer.toString(index + 1) : name;
  }

  /** {@return one item of {@code RateLimit-Policy} for each tier; none for a queue, no quota} */
  static List<String> policies(String limiter, List<Limit> tiers) {
    return IntStream.range(0, tiers.size())
        .filter(i -> tiers.get(i).algorithm() != Limit.Algorithm.LEAKY_QUEUE)
        .mapToObj(
            i ->
                quoted(policyName(limiter, tiers, i))
                    + ";q="
                    + tiers.get(i).capacity()
                    + window(tiers.get(i)))
        .toList();
  }

  /** The time in which the whole quota is refilled. The field has no fractions of a second. */
  private static String window(Limit limit) {
    long micros = limit.periodMicros();
    if (limit.algorithm().isBucket()) {
      long common = gcd(limit.count(), micros);
      long each = limit.count() / common; // the product stays below 2^52: Limit sees to it
      micros = (limit.capacity() * (micros / common) + each - 1) / each;
    }
    return micros < MICROS ? "" : ";w=" + (micros + MICROS - 1) / MICROS;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /**
   * {@return the item of {@code RateLimit} for the tier that decided; empty when the numbers are
   * not the store's, or could be those of several tiers}
   */
  static String state(String limiter, List<Limit> tiers, Decision decision) {
    OptionalInt tier = decidingTier(tiers, decision);
    if (tier.isEmpty()
        || decision.source() == Decision.Source.FALLBACK
        || tiers.get(tier.getAsInt()).algorithm() == Limit.Algorithm.LEAKY_QUEUE) {
      return "";
    }
    long reset = decision.allowed() ? seconds(decision.resetAfter()) : retryAfter(decision);
    return quoted(policyName(limiter, tiers, tier.getAsInt()))
        + ";r="
        + decision.remaining()
        + ";t="
        + reset;
  }

  private static OptionalInt decidingTier(List<Limit> tiers, Decision decision) {
    if (tiers.size() == 1) {
      return OptionalInt.of(0);
    }
    int[] fitting =
        IntStream.range(0, tiers.size())
            .filter(
                i ->
                    decision
                        .refusedBy()
                        .map(name -> name.equals(tierName(tiers, i)))
                        .orElse(tiers.get(i).capacity() == decision.limit()))
            .toArray();
    return fitting.length == 1 ? OptionalInt.of(fitting[0]) : OptionalInt.empty();
  }

  /**
   * Encodes a string of structured fields (RFC 9651): printable ASCII, other characters become
   * {@code '_'}.
   */
  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        out.append('\\');
      }
      out.append(c < ' ' || c > '~' ? '_' : c);
    }
    return out.append('"').toString();
  }
}
