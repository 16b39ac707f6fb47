package dev.sluice.limit;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * One limit: an algorithm and its numbers. An immutable value.
 *
 * @param algorithm how permits are counted
 * @param capacity most permits at once: the limit of a window, the burst of a bucket, the places of
 *     a queue; 1 to 10^12 (log: to 100,000; queue: 0 to 100,000)
 * @param count permits per {@code period}, in the long run; 1 to 10^12
 * @param period the window, or the time in which {@code count} permits flow; whole microseconds, 1
 *     microsecond to 366 days
 * @param slots into how many slots a sliding window is cut, 1 to 100; 0 for the others
 * @param name names the tier where a limiter has several; empty stands for its place in the list
 * @param shared whether all keys of the limiter share one count, instead of one for each key
 */
public record Limit(
    Algorithm algorithm,
    long capacity,
    long count,
    Duration period,
    int slots,
    String name,
    boolean shared) {

  private static final long MAX_PERMITS = 1_000_000_000_000L;
  private static final long MAX_ENTRIES = 100_000;
  private static final Duration MAX_PERIOD = Duration.ofDays(366);
  private static final int DEFAULT_SLOTS = 10;

  /** Largest product of capacity and reduced period, so that every sum stays below 2^53. */
  private static final long MAX_LEVEL = 1L << 52;

  /** How permits are counted. The bounds are in {@code docs/limits.md}. */
  public enum Algorithm {
    /** Windows that start at multiples of the period since the epoch. */
    FIXED_WINDOW("fixed-window"),
    /** Every admission is remembered for one period: exact. */
    SLIDING_LOG("sliding-log"),
    /** The period is cut into slots and the oldest part-slot counts in full: never above limit. */
    SLIDING_WINDOW("sliding-window"),
    /** Tokens flow in, up to the capacity; a call takes some. */
    TOKEN_BUCKET("token-bucket"),
    /** The bucket as a meter: a call pours in, the bucket leaks; a full one refuses. */
    LEAKY_BUCKET("leaky-bucket"),
    /** Generic cell rate algorithm (ITU-T I.371), with the burst as redis-cell counts it. */
    GCRA("gcra"),
    /** A window that opens at the first call and ends one period later. */
    EXPIRING_WINDOW("expiring-window"),
    /** The bucket as a queue: callers are let through one by one, in order. */
    LEAKY_QUEUE("leaky-queue");

    private final String word;

    Algorithm(String word) {
      this.word = word;
    }

    /** {@return the name in texts and on the command line, such as {@code token-bucket}} */
    public String word() {
      return word;
    }

    /** {@return whether it is a bucket: capacity and rate are numbers of their own} */
    public boolean isBucket() {
      return this == TOKEN_BUCKET || this == LEAKY_BUCKET || this == GCRA;
    }
  }

  /** Checks every number, and that their products stay exact. */
  public Limit {
    requireNonNull(algorithm, "algorithm must not be null");
    requireNonNull(period, "period must not be null");
    requireNonNull(name, "name must not be null");
    if (count < 1 || count > MAX_PERMITS) {
      throw new IllegalArgumentException(
          "count of " + algorithm.word + " must be 1 to " + MAX_PERMITS + ": " + count);
    }
    boolean queue = algorithm == Algorithm.LEAKY_QUEUE;
    long most = queue || algorithm == Algorithm.SLIDING_LOG ? MAX_ENTRIES : MAX_PERMITS;
    String what = queue ? "places" : algorithm.isBucket() ? "capacity" : "limit";
    if (capacity < (queue ? 0 : 1) || capacity > most) {
      throw new IllegalArgumentException(
          what
              + " of "
              + algorithm.word
              + " must be "
              + (queue ? 0 : 1)
              + " to "
              + most
              + ": "
              + capacity);
    }
    if (period.compareTo(Duration.ofNanos(1000)) < 0
        || period.compareTo(MAX_PERIOD) > 0
        || period.getNano() % 1000 != 0) {
      throw new IllegalArgumentException(
          "period must be whole microseconds, 1us to 366d: " + period);
    }
    if (algorithm == Algorithm.SLIDING_WINDOW) {
      if (slots < 1 || slots > 100 || slots > micros(period)) {
        throw new IllegalArgumentException(
            "slots must be 1 to 100, and at most one for a microsecond: " + slots);
      }
    } else if (slots != 0) {
      throw new IllegalArgumentException("slots are for a sliding window: " + slots);
    }
    if (algorithm.isBucket()) {
      long interval = micros(period) / gcd(count, micros(period));
      if (capacity > MAX_LEVEL / interval) {
        throw new IllegalArgumentException(
            "capacity "
                + capacity
                + " at "
                + count
                + " per "
                + period
                + " cannot be counted exactly: capacity x period / gcd(count, period) must be at"
                + " most 2^52 microseconds; choose a rounder rate or a smaller capacity");
      }
    } else if (!queue && count != capacity) {
      throw new IllegalArgumentException(
          "count and capacity are one number for "
              + algorithm.word
              + ": "
              + count
              + ", "
              + capacity);
    }
    if (queue && micros(period) / count > Duration.ofDays(1).toSeconds() * 1_000_000) {
      throw new IllegalArgumentException(
          "a leaky queue must let at least one call a day through: " + count + " per " + period);
    }
    if (name.length() > 32
        || !name.chars()
            .allMatch(c -> Character.isLetterOrDigit(c) && c < 128 || c == '-' || c == '_')) {
      throw new IllegalArgumentException(
          "name must be at most 32 letters, digits, '-' or '_': '" + name + "'");
    }
  }

  private static long micros(Duration period) {
    return period.toSeconds() * 1_000_000 + period.getNano() / 1000;
  }

  /** {@return the period in microseconds} */
  public long periodMicros() {
    return micros(period);
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /**
   * At most {@code limit} in each window of the clock; up to twice that across a boundary.
   *
   * @param limit 1 to 10^12
   * @param window 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit fixedWindow(long limit, Duration window) {
    return of(Algorithm.FIXED_WINDOW, limit, limit, window, 0);
  }

  /**
   * At most {@code limit} in every window whatever its start, exactly. Costs memory for each
   * admission.
   *
   * @param limit 1 to 100,000
   * @param window 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit slidingLog(long limit, Duration window) {
    return of(Algorithm.SLIDING_LOG, limit, limit, window, 0);
  }

  /**
   * At most {@code limit} in every window whatever its start, at the price of a counter: ten slots,
   * permits come back at most a tenth of the window late.
   *
   * @param limit 1 to 10^12
   * @param window 10 microseconds to 366 days
   * @return the limit
   */
  public static Limit slidingWindow(long limit, Duration window) {
    return slidingWindow(limit, window, DEFAULT_SLOTS);
  }

  /**
   * At most {@code limit} in every window whatever its start; permits come back at most {@code
   * window / slots} late.
   *
   * @param limit 1 to 10^12
   * @param window 1 microsecond to 366 days
   * @param slots 1 to 100
   * @return the limit
   */
  public static Limit slidingWindow(long limit, Duration window, int slots) {
    return of(Algorithm.SLIDING_WINDOW, limit, limit, window, slots);
  }

  /**
   * A bucket of tokens, full at first; tokens flow in evenly.
   *
   * @param capacity most tokens, 1 to 10^12
   * @param refill tokens that flow in per {@code period}
   * @param period 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit tokenBucket(long capacity, long refill, Duration period) {
    return of(Algorithm.TOKEN_BUCKET, capacity, refill, period, 0);
  }

  /**
   * A leaking bucket as a meter, empty at first. Admits exactly what a token bucket of the same
   * numbers admits.
   *
   * @param capacity what fits in, 1 to 10^12
   * @param leak what leaks out per {@code period}
   * @param period 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit leakyBucket(long capacity, long leak, Duration period) {
    return of(Algorithm.LEAKY_BUCKET, capacity, leak, period, 0);
  }

  /**
   * The generic cell rate algorithm. Admits exactly what a token bucket of the same numbers admits.
   *
   * @param capacity most at once, redis-cell's {@code max_burst + 1}; 1 to 10^12
   * @param count permits per {@code period}
   * @param period 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit gcra(long capacity, long count, Duration period) {
    return of(Algorithm.GCRA, capacity, count, period, 0);
  }

  /**
   * At most {@code limit} in a window that opens at the first call; up to twice that in a span of
   * one window.
   *
   * @param limit 1 to 10^12
   * @param window 1 microsecond to 366 days
   * @return the limit
   */
  public static Limit expiringWindow(long limit, Duration window) {
    return of(Algorithm.EXPIRING_WINDOW, limit, limit, window, 0);
  }

  /**
   * A leaking bucket as a queue: callers are let through one every {@code period / count}, rounded
   * up to a microsecond, in the order in which they came, across processes. It stands alone in a
   * limiter.
   *
   * @param count callers per {@code period}
   * @param period 1 microsecond to 366 days
   * @param places most callers that wait, 0 to 100,000; whoever comes to a full queue is refused
   * @return the limit
   */
  public static Limit leakyQueue(long count, Duration period, int places) {
    return of(Algorithm.LEAKY_QUEUE, places, count, period, 0);
  }

  private static Limit of(
      Algorithm algorithm, long capacity, long count, Duration period, int slots) {
    return new Limit(algorithm, capacity, count, period, slots, "", false);
  }

  /**
   * Names this tier, for decisions and for changes of the policy: a tier keeps its count as long as
   * it keeps its name.
   *
   * @param name at most 32 letters, digits, '-' or '_'
   * @return changed limit
   */
  public Limit named(String name) {
    return new Limit(algorithm, capacity, count, period, slots, name, shared);
  }

  /**
   * Makes all keys of the limiter share this tier: the total of a tenant beside the limits of its
   * users.
   *
   * @return changed limit
   */
  public Limit sharedByAllKeys() {
    return new Limit(algorithm, capacity, count, period, slots, name, true);
  }

  /**
   * Reads a limit as people write it: {@code ALGORITHM COUNT/PERIOD [burst N] [slots N] [places N]
   * [name NAME] [shared]}, for instance {@code token-bucket 10/s burst 20}, {@code sliding-window
   * 1000/1h slots 60} or {@code leaky-queue 5/100ms places 50}. Periods are a number and one of us,
   * ms, s, m, h, d; the number may be left out for 1. Without {@code burst} a bucket holds {@code
   * COUNT}; without {@code places} a queue has 100.
   *
   * @param text the limit
   * @return the limit
   * @throws IllegalArgumentException if the text is none; the message says why
   */
  public static Limit parse(String text) {
    return LimitText.parse(requireNonNull(text, "text must not be null"));
  }

  /** {@return the limit as {@link #parse} reads it} */
  @Override
  public String toString() {
    return LimitText.of(this);
  }
}
