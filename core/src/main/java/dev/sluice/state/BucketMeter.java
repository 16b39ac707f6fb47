package dev.sluice.state;

import dev.sluice.spi.LimitRule;
import java.nio.charset.StandardCharsets;

/**
 * Token bucket, leaky bucket and GCRA. The level is what was spent and has not drained yet, in
 * units of which {@code scale} drain per microsecond and one permit weighs {@code step}: the rate
 * is their ratio in lowest terms, so no rounding ever adds up. The theoretical arrival time of GCRA
 * is {@code now + level / scale}.
 */
final class BucketMeter extends Meter {
  /*
   * Stored as the text of one integer wherever that is enough, because Redis keeps such a value in
   * the pointer: the arrival time in microseconds, 16 digits, with the rest of the division in
   * front. Not enough is it for a numbered policy (its numbers must be kept), for rates whose
   * rest has too many digits, and while more is promised than the bucket holds (a step of the clock
   * could not be told from a promise), and while uses are settled later (the count's birth must be
   * kept, and promises apart from debts).
   */
  private static final long REST = 10_000_000_000_000_000L;
  private static final long EARLIEST_TIME = REST / 10;
  private static final long MAX_PLAIN_SCALE = 900;

  private long level;

  /** Whether uses are settled later; then promises and debts are kept separately. */
  private boolean settles;

  /** The latest time promised to a caller; known only if {@link #settles}. */
  private long promisedUntil;

  BucketMeter(LimitRule rule, long now) {
    super(rule, now);
  }

  static Meter plain(LimitRule mine, byte[] stored, long now) {
    if (stored.length < 16 || stored.length > 19) {
      throw new IllegalArgumentException("a number that is not a time");
    }
    long value = Long.parseLong(new String(stored, StandardCharsets.US_ASCII));
    long arrival = value % REST;
    long rest = value / REST;
    if (arrival < EARLIEST_TIME) {
      throw new IllegalArgumentException("a number that is not a time");
    }
    if (mine.kind() != LimitRule.Kind.BUCKET) {
      return empty(mine, now); // another algorithm, not numbered: what was spent cannot be told
    }
    if (rest >= mine.scale()) { // written at another rate
      arrival++;
      rest = 0;
    }
    LimitRule unnumbered =
        new LimitRule(
            mine.kind(),
            mine.capacity(),
            mine.scale(),
            mine.step(),
            0,
            mine.carryOver(),
            mine.tier(),
            mine.shared(),
            mine.perCall());
    BucketMeter meter = new BucketMeter(unnumbered, now);
    long full = mine.capacity() * mine.step();
    if (arrival - now > full / mine.scale()) { // at most a full level: else the clock went back
      meter.level = full;
      meter.clockSteps = 1;
    } else if (arrival >= now) {
      meter.level = Math.min(full, (arrival - now) * mine.scale() + rest);
    }
    return meter;
  }

  static BucketMeter read(LimitRule was, Packed in, long stamp, long now) {
    if (was.step() < 1) {
      throw new IllegalArgumentException("numbers of the limit");
    }
    BucketMeter meter = new BucketMeter(was, now);
    long level = in.next(7);
    long passed = Math.max(0, now - stamp);
    meter.level = passed > level / was.scale() ? 0 : level - passed * was.scale();
    if (in.left() > 0) {
      meter.settles = true;
      meter.promisedUntil = Math.max(0, in.next(7) - Math.max(0, stamp - now));
    }
    return meter;
  }

  @Override
  long available(long now) {
    long full = rule.capacity() * rule.step();
    return level >= full ? 0 : (full - level) / rule.step();
  }

  @Override
  long waitFor(long now, long cost) {
    long over = level - (rule.capacity() - cost) * rule.step();
    return over <= 0 ? 0 : ceilDiv(over, rule.scale());
  }

  @Override
  void spend(long now, long wait, long amount) {
    level = Math.max(level, wait * rule.scale()) + amount * rule.step();
    if (wait > 0) {
      promisedUntil = Math.max(promisedUntil, now + wait);
    }
  }

  @Override
  void expectSettlement(long now) {
    if (!settles) {
      settles = true;
      long over = level - rule.capacity() * rule.step(); // of a promise that no use has noted
      promisedUntil = over > 0 ? now + ceilDiv(over, rule.scale()) : 0;
    }
  }

  @Override
  long room() {
    long most = rule.capacity() * rule.step() + rule.mostDebt();
    return level >= most ? 0 : (most - level) / rule.step();
  }

  @Override
  long latest(long now) {
    return 0;
  }

  private boolean isPromised(long now) {
    return settles ? promisedUntil > now : level > rule.capacity() * rule.step();
  }

  @Override
  void giveBack(long now, long amount, long age) {
    if (isPromised(now)) {
      return; // another caller was promised a later moment in view of these permits
    }
    // permits returned late have drained meanwhile, and may have made room for others
    long weight = Math.min(amount, rule.capacity()) * rule.step();
    long drained = age > weight / rule.scale() ? weight : age * rule.scale();
    level = Math.max(0, level - Math.max(0, weight - drained));
  }

  @Override
  long fullIn(long now) {
    return ceilDiv(level, rule.scale());
  }

  @Override
  double spent() {
    return (double) level / rule.step();
  }

  @Override
  void fill(long now, double permits, boolean roundDown) {
    double weight = permits * rule.step();
    long most = rule.capacity() * rule.step() + rule.horizonMicros() * rule.scale();
    level = Math.min(most, (long) (roundDown ? Math.floor(weight) : Math.ceil(weight)));
  }

  @Override
  void resize(Share share) {
    throw new IllegalStateException("a bucket is filled again, not resized");
  }

  @Override
  byte[] save(long now) {
    if (!settles
        && rule.version() == 0
        && rule.scale() <= MAX_PLAIN_SCALE
        && level <= rule.capacity() * rule.step()) {
      long value = level % rule.scale() * REST + now + level / rule.scale();
      return Long.toString(value).getBytes(StandardCharsets.US_ASCII);
    }
    Packed out = head(now, settles ? 21 : 14).put(7, rule.step()).put(7, level);
    return settles ? out.put(7, promisedUntil).bytes() : out.bytes();
  }
}
