package dev.sluice.spi;

import dev.sluice.limit.CarryOver;
import dev.sluice.limit.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One tier in the units of stores: a {@link Limit} as whole numbers below 2^53.
 *
 * @param kind how it counts
 * @param capacity most permits at one moment
 * @param scale buckets: units that drain per microsecond; else microseconds of the window, or of
 *     one slot of it
 * @param step buckets: units that one permit weighs; sliding window: number of slots; else 0. A
 *     bucket's units make {@code scale : step} the rate in lowest terms, so nothing is ever rounded
 * @param version of the policy
 * @param carryOver what becomes of permits that were spent under a lower version
 * @param tier name of the tier, or its place from 1
 * @param shared whether all keys of the limiter share it
 * @param perCall whether each call costs 1 in it, independent of its cost in other tiers
 * @since 0.1
 */
public record LimitRule(
    Kind kind,
    long capacity,
    long scale,
    long step,
    int version,
    CarryOver carryOver,
    String tier,
    boolean shared,
    boolean perCall) {

  /** Counting methods; stores keep the code. */
  public enum Kind {
    /** Token bucket, leaky bucket as a meter, GCRA: one arithmetic under three names. */
    BUCKET(1),
    /** Windows aligned to the clock. */
    FIXED_WINDOW(2),
    /** Every admission with its time. */
    SLIDING_LOG(3),
    /** Counts for each slot of the window, plus one slot. */
    SLIDING_WINDOW(4),
    /** A window that opens at the first call. */
    EXPIRING_WINDOW(5);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    /** {@return the number that stores keep} */
    public int code() {
      return code;
    }
  }

  /** The largest capacity of a tier, and so the largest cost that can pass. */
  public static final long MAX_COST = 1_000_000_000_000L;

  /** The largest whole number that a double represents exactly. */
  static final long MAX_EXACT = (1L << 53) - 1;

  /** The most permits that stores count in a slot of a sliding window, which has five bytes. */
  private static final long MAX_IN_SLOT = (1L << 40) - 1;

  private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);

  /**
   * Converts the tiers of a policy to rules.
   *
   * @param limits the tiers, none of them a queue
   * @param version of the policy
   * @param carryOver of the policy
   * @param slackMicros how much later than at the store permits may be used: sliding windows are
   *     counted longer by it, buckets smaller by what flows in it
   * @return the rules, in the same order
   */
  public static List<LimitRule> of(
      List<Limit> limits, int version, CarryOver carryOver, long slackMicros) {
    List<LimitRule> rules = new ArrayList<>(limits.size());
    for (Limit limit : limits) {
      String tier = limit.name().isEmpty() ? Integer.toString(rules.size() + 1) : limit.name();
      rules.add(of(limit, tier, version, carryOver, slackMicros));
    }
    return List.copyOf(rules);
  }

  private static LimitRule of(
      Limit limit, String tier, int version, CarryOver carryOver, long slack) {
    long period = limit.periodMicros();
    long capacity = limit.capacity();
    Kind kind;
    long scale;
    long step = 0;
    switch (limit.algorithm()) {
      case FIXED_WINDOW -> {
        kind = Kind.FIXED_WINDOW;
        scale = period;
      }
      case EXPIRING_WINDOW -> {
        kind = Kind.EXPIRING_WINDOW;
        scale = period;
      }
      case SLIDING_LOG -> {
        kind = Kind.SLIDING_LOG;
        scale = period + slack;
      }
      case SLIDING_WINDOW -> {
        kind = Kind.SLIDING_WINDOW;
        scale = ceilDiv(period + slack, limit.slots());
        step = limit.slots();
      }
      case TOKEN_BUCKET, LEAKY_BUCKET, GCRA -> {
        long divisor = gcd(limit.count(), period);
        kind = Kind.BUCKET;
        scale = limit.count() / divisor;
        step = period / divisor;
        capacity = Math.max(1, capacity - flow(slack, scale, step));
      }
      default -> throw new IllegalArgumentException("a leaky queue has no rule of this form");
    }
    return new LimitRule(
        kind, capacity, scale, step, version, carryOver, tier, limit.isShared(), limit.isPerCall());
  }

  /** Permits that flow within a time, rounded up. */
  private static long flow(long micros, long scale, long step) {
    return micros == 0 ? 0 : ceilDiv(Math.multiplyExact(micros, scale), step);
  }

  static long ceilDiv(long a, long b) {
    return Math.floorDiv(a + b - 1, b);
  }

  static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /**
   * The permits of a call in this tier.
   *
   * @param cost of the call
   * @return the cost, or 1 where calls are counted
   */
  public long costOf(long cost) {
    return perCall ? Math.min(1, cost) : cost;
  }

  /**
   * {@return the longest wait that this tier can promise exactly, in microseconds: an hour or less}
   */
  public long horizonMicros() {
    return kind == Kind.BUCKET
        ? Math.min(HOUR_MICROS, (MAX_EXACT / 2 - step) / scale)
        : HOUR_MICROS;
  }

  /**
   * {@return the bound up to which a settlement may exceed the capacity of this tier: once the
   * capacity. In a bucket in units, else in permits}
   */
  public long mostDebt() {
    return switch (kind) {
      case BUCKET -> Math.min(capacity * step, MAX_EXACT / 2 - step);
      case SLIDING_WINDOW -> Math.min(capacity, MAX_IN_SLOT - capacity);
      default -> capacity;
    };
  }
}
