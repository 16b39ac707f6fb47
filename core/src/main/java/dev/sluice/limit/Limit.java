package dev.sluice.limit;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One limit: an algorithm and its parameters. An immutable value: a factory takes the number of
 * permits and the time for which they are, and each further method returns a changed copy. A value
 * out of its range throws {@link IllegalArgumentException}.
 *
 * <pre>{@code
 * Limit steady = Limit.tokenBucket(30, Duration.ofMinutes(1)).burst(15);
 * Limit daily = Limit.slidingWindow(10_000, Duration.ofDays(1)).name("day");
 * Limit same = Limit.parse("token-bucket 30/1m burst 15");
 * }</pre>
 *
 * @since 0.1
 */
public final class Limit {
  private static final long MAX_PERMITS = 1_000_000_000_000L;
  private static final long MAX_ENTRIES = 100_000;
  private static final Duration MIN_PERIOD = Duration.ofNanos(1000);
  private static final Duration MAX_PERIOD = Duration.ofDays(366);
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{0,32}");
  private static final int DEFAULT_SLOTS = 10;
  private static final int DEFAULT_PLACES = 100;

  /** The largest product of capacity and reduced period, so that every sum stays below 2^53. */
  private static final long MAX_LEVEL = 1L << 52;

  /** The algorithm that counts permits. The bounds are in {@code docs/limits.md}. */
  public enum Algorithm {
    /** Windows that start at multiples of the period since the epoch. */
    FIXED_WINDOW("fixed-window"),
    /** Every admission is recorded for one period: exact. */
    SLIDING_LOG("sliding-log"),
    /** The period is cut into slots, and the oldest slot counts in full: never above the limit. */
    SLIDING_WINDOW("sliding-window"),
    /** Tokens flow in up to the capacity; a call takes some. */
    TOKEN_BUCKET("token-bucket"),
    /** The bucket as a meter: a call fills it and it leaks; a full bucket refuses. */
    LEAKY_BUCKET("leaky-bucket"),
    /** Generic cell rate algorithm (ITU-T I.371), with the burst counted as in redis-cell. */
    GCRA("gcra"),
    /** A window that opens at the first call and ends one period later. */
    EXPIRING_WINDOW("expiring-window"),
    /** The bucket as a queue: callers pass one by one, in order. */
    LEAKY_QUEUE("leaky-queue");

    private final String word;

    Algorithm(String word) {
      this.word = word;
    }

    /** {@return the name in texts and on the command line, such as {@code token-bucket}} */
    public String word() {
      return word;
    }

    /** {@return whether it is a bucket, with a separate capacity and rate} */
    public boolean isBucket() {
      return this == TOKEN_BUCKET || this == LEAKY_BUCKET || this == GCRA;
    }
  }

  private final Values values;

  private Limit(Values values) {
    this.values = values;
  }

  private record Values(
      Algorithm algorithm,
      long capacity,
      long count,
      Duration period,
      int slots,
      String name,
      boolean shared,
      boolean perCall) {

    Values {
      requireNonNull(algorithm, "algorithm must not be null");
      requireNonNull(period, "period must not be null");
      requireNonNull(name, "name must not be null");
      String word = algorithm.word;
      boolean queue = algorithm == Algorithm.LEAKY_QUEUE;
      if (count < 1 || count > MAX_PERMITS) {
        throw new IllegalArgumentException(
            "count of " + word + " must be 1 to " + MAX_PERMITS + ": " + count);
      }
      if (period.compareTo(MIN_PERIOD) < 0
          || period.compareTo(MAX_PERIOD) > 0
          || period.getNano() % 1000 != 0) {
        throw new IllegalArgumentException(
            "period must be whole microseconds, 1us to 366d: " + period);
      }
      long least = queue ? 0 : 1;
      long most = queue || algorithm == Algorithm.SLIDING_LOG ? MAX_ENTRIES : MAX_PERMITS;
      if (capacity < least || capacity > most) {
        String what = queue ? "places" : algorithm.isBucket() ? "burst" : "count";
        throw new IllegalArgumentException(
            what + " of " + word + " must be " + least + " to " + most + ": " + capacity);
      }
      if (algorithm == Algorithm.SLIDING_WINDOW
          && (slots < 1 || slots > 100 || slots > micros(period))) {
        throw new IllegalArgumentException(
            "slots must be 1 to 100, and at most one for a microsecond: " + slots);
      }
      if (queue && micros(period) / count > Duration.ofDays(1).toSeconds() * 1_000_000) {
        throw new IllegalArgumentException(
            "a leaky queue must allow at least one call a day: " + count + " per " + period);
      }
      if (queue && perCall) {
        throw new IllegalArgumentException(
            "a leaky queue has no other tier: per-call is for tiers");
      }
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "name must be at most 32 letters, digits, '-' or '_': '" + name + "'");
      }
    }
  }

  /**
   * A limit of any algorithm. A bucket holds {@code count} unless {@link #burst} follows, a queue
   * has 100 places unless {@link #places} follows, a sliding window 10 slots unless {@link #slots}
   * follows.
   *
   * @param algorithm how permits are counted
   * @param count permits per {@code period}, in the long run; 1 to 10^12 (sliding log: to 100,000)
   * @param period the window, or the time in which {@code count} permits flow; whole microseconds,
   *     1 microsecond to 366 days
   * @return the limit
   */
  public static Limit of(Algorithm algorithm, long count, Duration period) {
    requireNonNull(period, "period must not be null");
    return new Limit(
        new Values(
            algorithm,
            algorithm == Algorithm.LEAKY_QUEUE ? DEFAULT_PLACES : count,
            count,
            period,
            algorithm == Algorithm.SLIDING_WINDOW ? usualSlots(period) : 0,
            "",
            false,
            false));
  }

  /** The number of slots: ten, or fewer if a window has fewer microseconds. */
  private static int usualSlots(Duration period) {
    boolean brief = period.compareTo(Duration.ofNanos(DEFAULT_SLOTS * 1000L)) < 0;
    return brief ? (int) Math.max(1, micros(period)) : DEFAULT_SLOTS;
  }

  /**
   * At most {@code count} in each window of the clock; up to twice that across two windows.
   *
   * @param count 1 to 10^12
   * @param window 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit fixedWindow(long count, Duration window) {
    return of(Algorithm.FIXED_WINDOW, count, window);
  }

  /**
   * At most {@code count} in every window, with any start, exactly. Costs memory for each
   * admission.
   *
   * @param count 1 to 100,000
   * @param window 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit slidingLog(long count, Duration window) {
    return of(Algorithm.SLIDING_LOG, count, window);
  }

  /**
   * At most {@code count} in every window, with any start, counted per slot. The window has ten
   * slots unless {@link #slots} follows: permits come back at most one slot late.
   *
   * @param count 1 to 10^12
   * @param window 10 microseconds to 366 days
   * @return the limit
   */
  public static Limit slidingWindow(long count, Duration window) {
    return of(Algorithm.SLIDING_WINDOW, count, window);
  }

  /**
   * A bucket of tokens, full at first; tokens flow in evenly. It holds {@code count} tokens unless
   * {@link #burst} follows.
   *
   * @param count tokens that flow in per {@code period}, 1 to 10^12
   * @param period 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit tokenBucket(long count, Duration period) {
    return of(Algorithm.TOKEN_BUCKET, count, period);
  }

  /**
   * A leaky bucket as a meter, empty at first. Admits exactly what a token bucket of the same
   * numbers admits. {@code count} permits fit in unless {@link #burst} follows.
   *
   * @param count what leaks out per {@code period}, 1 to 10^12
   * @param period 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit leakyBucket(long count, Duration period) {
    return of(Algorithm.LEAKY_BUCKET, count, period);
  }

  /**
   * The generic cell rate algorithm. Admits exactly what a token bucket of the same numbers admits:
   * {@code count} permits in a burst unless {@link #burst} follows. A burst is redis-cell's {@code
   * max_burst + 1}.
   *
   * @param count permits per {@code period}, 1 to 10^12
   * @param period 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit gcra(long count, Duration period) {
    return of(Algorithm.GCRA, count, period);
  }

  /**
   * At most {@code count} in a window that opens at the first call; up to twice that in a period
   * across two windows.
   *
   * @param count 1 to 10^12
   * @param window 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit expiringWindow(long count, Duration window) {
    return of(Algorithm.EXPIRING_WINDOW, count, window);
  }

  /**
   * A leaky bucket as a queue: callers pass one every {@code period / count}, rounded up to a
   * microsecond, in order of arrival, across processes. 100 callers may wait unless {@link #places}
   * follows. It stands alone in a limiter.
   *
   * @param count callers per {@code period}
   * @param period 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit leakyQueue(long count, Duration period) {
    return of(Algorithm.LEAKY_QUEUE, count, period);
  }

  /**
   * Sets the burst of a bucket, in permits.
   *
   * @param permits 1 to 10^12 (default: the count)
   * @return changed limit
   * @throws IllegalArgumentException if this is no bucket, or if the bucket could not be counted
   *     exactly: {@code permits x period / gcd(count, period)} must be at most 2^52 microseconds
   */
  public Limit burst(long permits) {
    belongs("burst", algorithm().isBucket());
    Values v = values;
    return new Limit(
            new Values(
                v.algorithm, permits, v.count, v.period, v.slots, v.name, v.shared, v.perCall))
        .exact();
  }

  /**
   * Sets the number of callers that may wait in a leaky queue. A caller that comes to a full queue
   * is refused.
   *
   * @param callers 0 to 100,000 (default: 100)
   * @return changed limit
   * @throws IllegalArgumentException if this is no leaky queue
   */
  public Limit places(int callers) {
    belongs("places", algorithm() == Algorithm.LEAKY_QUEUE);
    Values v = values;
    return new Limit(
        new Values(v.algorithm, callers, v.count, v.period, v.slots, v.name, v.shared, v.perCall));
  }

  /**
   * Sets the number of slots of a sliding window. Permits come back at most one slot late.
   *
   * @param slots 1 to 100, at most one for a microsecond (default: 10)
   * @return changed limit
   * @throws IllegalArgumentException if this is no sliding window
   */
  public Limit slots(int slots) {
    belongs("slots", algorithm() == Algorithm.SLIDING_WINDOW);
    Values v = values;
    return new Limit(
        new Values(v.algorithm, v.capacity, v.count, v.period, slots, v.name, v.shared, v.perCall));
  }

  private void belongs(String what, boolean does) {
    if (!does) {
      throw new IllegalArgumentException("'" + what + "' does not belong to " + algorithm().word);
    }
  }

  /**
   * Names this tier, for decisions and for changes of the policy: a tier keeps its count under its
   * name.
   *
   * @param name at most 32 letters, digits, '-' or '_' (default: its place in the list of tiers)
   * @return changed limit
   */
  public Limit name(String name) {
    Values v = values;
    return new Limit(
        new Values(v.algorithm, v.capacity, v.count, v.period, v.slots, name, v.shared, v.perCall));
  }

  /**
   * Makes all keys of the limiter share this tier: a tenant's total beside the limits of its users.
   *
   * @return changed limit
   */
  public Limit shared() {
    Values v = values;
    return new Limit(
        new Values(v.algorithm, v.capacity, v.count, v.period, v.slots, v.name, true, v.perCall));
  }

  /**
   * Makes each call cost 1 in this tier, independent of its cost in the others: requests per minute
   * beside tokens per minute. A cost of 0 stays 0. A refund of a call gives 1 back here.
   *
   * @return changed limit
   * @throws IllegalArgumentException if this is a leaky queue
   */
  public Limit perCall() {
    Values v = values;
    return new Limit(
        new Values(v.algorithm, v.capacity, v.count, v.period, v.slots, v.name, v.shared, true));
  }

  /** Refuses a bucket whose sums would not be exact. */
  Limit exact() {
    Values v = values;
    long micros = periodMicros();
    if (v.algorithm.isBucket() && v.capacity > MAX_LEVEL / (micros / gcd(v.count, micros))) {
      throw new IllegalArgumentException(
          "burst "
              + v.capacity
              + " at "
              + v.count
              + " per "
              + v.period
              + " cannot be counted exactly: burst x period / gcd(count, period) must be at most"
              + " 2^52 microseconds; choose a rounder rate or a smaller burst");
    }
    return this;
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  private static long micros(Duration period) {
    return period.toSeconds() * 1_000_000 + period.getNano() / 1000;
  }

  /** {@return the algorithm} */
  public Algorithm algorithm() {
    return values.algorithm;
  }

  /** {@return the capacity: the burst of a bucket, the places of a queue, else the count} */
  public long capacity() {
    return values.capacity;
  }

  /** {@return the permits per {@link #period()}, in the long run} */
  public long count() {
    return values.count;
  }

  /** {@return the window, or the time in which {@link #count()} permits flow} */
  public Duration period() {
    return values.period;
  }

  /** {@return the period in microseconds} */
  public long periodMicros() {
    return micros(values.period);
  }

  /** {@return the number of slots of a sliding window; 0 for other algorithms} */
  public int slots() {
    return values.slots;
  }

  /** {@return the name of the tier; if empty, its index in the list is used} */
  public String name() {
    return values.name;
  }

  /** {@return whether all keys of the limiter share one count, instead of one for each key} */
  public boolean isShared() {
    return values.shared;
  }

  /** {@return whether each call costs 1 in this tier, independent of its cost in the others} */
  public boolean isPerCall() {
    return values.perCall;
  }

  /**
   * Parses a limit: {@code ALGORITHM COUNT/PERIOD [burst N] [slots N] [places N] [name NAME]
   * [shared] [per-call]}, for instance {@code token-bucket 10/s burst 20}, {@code sliding-window
   * 1000/1h slots 60} or {@code leaky-queue 5/100ms places 50}. Periods are a number and one of us,
   * ms, s, m, h, d; the number may be left out for 1. The words mean what the methods of the same
   * names mean.
   *
   * @param text the limit
   * @return the limit
   * @throws IllegalArgumentException if the text is none; the message names the reason
   */
  public static Limit parse(String text) {
    return LimitText.parse(requireNonNull(text, "text must not be null"));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Limit limit && values.equals(limit.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** {@return the limit as {@link #parse} reads it} */
  @Override
  public String toString() {
    return LimitText.of(this);
  }
}
