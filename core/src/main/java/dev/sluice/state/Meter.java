package dev.sluice.state;

import dev.sluice.limit.CarryOver;
import dev.sluice.spi.LimitRule;
import org.jspecify.annotations.Nullable;

/**
 * The count of one tier for one key, and the arithmetic of its algorithm: functions of the count,
 * the store's time and the request. Whole numbers below 2^53 throughout, so that a script with
 * doubles computes the same. Lives for one decision.
 */
abstract class Meter {
  /** The parameters in force: the caller's, or those of a higher version in the store. */
  LimitRule rule;

  /**
   * 1 if the stored time was ahead of the clock. What was stored has been moved back by as much.
   */
  int clockSteps;

  /** Whether another policy wrote the stored state. */
  boolean converted;

  /**
   * The time since which this count has recorded every permit, in milliseconds of the store's
   * clock.
   */
  long bornMillis;

  Meter(LimitRule rule, long now) {
    this.rule = rule;
    this.bornMillis = ceilDiv(now, 1000);
  }

  /** Permits that pass right now. */
  abstract long available(long now);

  /**
   * The time until permits pass, after all promised ones; zero if, and only if, as many are
   * available.
   *
   * @param cost 1 to the capacity
   */
  abstract long waitFor(long now, long cost);

  /** Counts permits as spent at {@code now + wait}. */
  abstract void spend(long now, long wait, long amount);

  /** Reverses permits that were spent at most {@code age} ago; fewer, where that is not safe. */
  abstract void giveBack(long now, long amount, long age);

  /** The permits that a settlement may still add, up to the greatest debt. */
  abstract long room();

  /** The time until the last counted time. */
  abstract long latest(long now);

  /**
   * A caller may return permits of this time later, and must find the birth of the count recorded.
   */
  void expectSettlement(long now) {}

  /**
   * Counts permits that were used without a request, after all promised ones. What goes beyond the
   * most debt is not counted.
   */
  final void charge(long now, long amount) {
    long counted = Math.min(amount, room());
    if (counted > 0) {
      expectSettlement(now); // or the debt would be taken for a promise
      spend(now, latest(now), counted);
    }
  }

  /** The time until nothing counts as spent. */
  abstract long fullIn(long now);

  /** Permits that count as spent; a bucket has fractions. */
  abstract double spent();

  /** Counts permits as spent in an empty meter. */
  abstract void fill(long now, double permits, boolean roundDown);

  /** Replaces each count by its share of another capacity. */
  abstract void resize(Share share);

  /** The stored form of a count. Only asked for while something counts as spent. */
  abstract byte[] save(long now);

  /** The part of a count that survives a change of the capacity. */
  interface Share {
    long of(long count);
  }

  /**
   * Whether a cost can never pass, because a higher version at the store may have a smaller
   * capacity.
   */
  final boolean neverPasses(long cost) {
    return cost > rule.capacity();
  }

  static Meter empty(LimitRule rule, long now) {
    return switch (rule.kind()) {
      case BUCKET -> new BucketMeter(rule, now);
      case FIXED_WINDOW -> new WindowMeter(rule, now);
      case EXPIRING_WINDOW -> new WindowMeter(rule, now);
      case SLIDING_LOG -> new LogMeter(rule, now);
      case SLIDING_WINDOW -> new SlotMeter(rule, now);
    };
  }

  /**
   * Reads a count and updates it to the present time and to the policy in force.
   *
   * @throws RuntimeException if Sluice did not write the bytes
   */
  static Meter load(LimitRule rule, byte @Nullable [] stored, long now) {
    if (stored == null) {
      return empty(rule, now);
    }
    Meter old = parse(rule, stored, now);
    if (old.rule.version() > rule.version()) {
      return old; // a newer policy rules
    }
    CarryOver carry = old.rule.version() == rule.version() ? CarryOver.KEEP : rule.carryOver();
    boolean changed =
        old.rule.version() != rule.version()
            || !sameShape(old.rule, rule)
            || old.rule.capacity() != rule.capacity();
    Meter meter = old.convert(rule, carry, now);
    meter.converted = changed;
    return meter;
  }

  /** Whether the count must be stored now to be continued from here. */
  final boolean isRebased() {
    return clockSteps > 0 || converted;
  }

  private static Meter parse(LimitRule rule, byte[] stored, long now) {
    if (stored.length > 0 && stored[0] >= '0' && stored[0] <= '9') {
      return BucketMeter.plain(rule, stored, now);
    }
    Packed in = Packed.reader(stored);
    int code = (int) in.next(1);
    if (code < 1 || code > LimitRule.Kind.values().length) {
      throw new IllegalArgumentException("kind " + code);
    }
    LimitRule.Kind kind = LimitRule.Kind.values()[code - 1];
    int version = (int) in.next(2);
    long stamp = in.next(7);
    long capacity = in.next(7);
    long scale = in.next(7);
    long born = in.next(6);
    long step =
        kind == LimitRule.Kind.BUCKET
            ? in.next(7)
            : kind == LimitRule.Kind.SLIDING_WINDOW ? in.next(1) : 0;
    if (capacity < 1 || scale < 1 || (kind == LimitRule.Kind.SLIDING_WINDOW && step < 1)) {
      throw new IllegalArgumentException("numbers of the limit");
    }
    LimitRule was =
        new LimitRule(
            kind,
            capacity,
            scale,
            step,
            version,
            CarryOver.KEEP,
            rule.tier(),
            rule.shared(),
            rule.perCall());
    Meter meter =
        switch (kind) {
          case BUCKET -> BucketMeter.read(was, in, stamp, now);
          case FIXED_WINDOW, EXPIRING_WINDOW -> WindowMeter.read(was, in, stamp, now);
          case SLIDING_LOG -> LogMeter.read(was, in, stamp, now);
          case SLIDING_WINDOW -> SlotMeter.read(was, in, stamp, now);
        };
    if (in.left() != 0) {
      throw new IllegalArgumentException(in.left() + " bytes too many");
    }
    meter.clockSteps = stamp > now ? 1 : 0;
    meter.bornMillis = Math.min(born, meter.bornMillis);
    return meter;
  }

  /** The head of the stored form; {@link #parse} reads it. */
  final Packed head(long now, int more) {
    Packed out = Packed.writer(30 + more);
    return out.put(1, rule.kind().code())
        .put(2, rule.version())
        .put(7, now)
        .put(7, rule.capacity())
        .put(7, rule.scale())
        .put(6, bornMillis);
  }

  private Meter convert(LimitRule to, CarryOver carry, long now) {
    LimitRule from = rule;
    if (carry != CarryOver.RESET && sameShape(from, to) && from.capacity() == to.capacity()) {
      rule = to;
      return this;
    }
    Meter next = empty(to, now);
    next.clockSteps = clockSteps;
    if (carry == CarryOver.RESET) {
      return next;
    }
    boolean raised = rate(to) >= rate(from);
    boolean bucket = to.kind() == LimitRule.Kind.BUCKET;
    if (!bucket && sameShape(from, to)) {
      rule = to;
      if (carry == CarryOver.PROPORTIONAL) {
        resize(
            count -> {
              double share = (double) count / from.capacity() * to.capacity();
              return (long) (raised ? Math.floor(share) : Math.ceil(share));
            });
      }
      return this;
    }
    if (raised && !(bucket && from.kind() == LimitRule.Kind.BUCKET)) {
      return next; // spans of another length: a kept count could make a caller wait longer
    }
    double promised = Math.max(0, spent() - from.capacity());
    double spent = spent() - promised;
    double kept = carry == CarryOver.PROPORTIONAL ? spent / from.capacity() * to.capacity() : spent;
    if (raised) { // as many permits must be left as there were
      kept = Math.min(kept, Math.max(0, to.capacity() - (from.capacity() - spent)));
    }
    kept = Math.min(kept, to.capacity());
    next.fill(now, bucket ? kept + promised : kept, raised); // who was promised a time will come
    return next;
  }

  /** The permits per microsecond in the long run, for comparing policies. */
  static double rate(LimitRule rule) {
    return switch (rule.kind()) {
      case BUCKET -> (double) rule.scale() / rule.step();
      case SLIDING_WINDOW -> (double) rule.capacity() / (rule.scale() * rule.step());
      default -> (double) rule.capacity() / rule.scale();
    };
  }

  /** Whether both count the same way, in equal periods. */
  private static boolean sameShape(LimitRule a, LimitRule b) {
    return a.kind() == b.kind() && a.scale() == b.scale() && a.step() == b.step();
  }

  static long ceilDiv(long a, long b) {
    return Math.floorDiv(a + b - 1, b);
  }
}
