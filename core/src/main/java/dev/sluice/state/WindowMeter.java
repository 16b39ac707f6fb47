package dev.sluice.state;

import dev.sluice.spi.LimitRule;

/**
 * One window at a time: of the clock, starting at multiples of its length, or of the first call.
 * What is promised for later lies in a window ahead of the present one.
 */
final class WindowMeter extends Meter {
  private long start;
  private long used;

  WindowMeter(LimitRule rule, long now) {
    super(rule, now);
    start = isFixed() ? now - now % rule.scale() : now;
  }

  static WindowMeter read(LimitRule was, Packed in, long stamp, long now) {
    WindowMeter meter = new WindowMeter(was, now);
    long start = in.next(7);
    long used = in.next(7);
    if (stamp > now) { // the clock went back, and the windows with it, never by more than it
      long by = stamp - now;
      start -= meter.isFixed() ? by - by % was.scale() : by;
    }
    if (start + was.scale() > now) {
      meter.start = start;
      meter.used = used;
    }
    return meter;
  }

  private boolean isFixed() {
    return rule.kind() == LimitRule.Kind.FIXED_WINDOW;
  }

  @Override
  long available(long now) {
    return start > now ? 0 : Math.max(0, rule.capacity() - used);
  }

  @Override
  long waitFor(long now, long cost) {
    long from = used + cost <= rule.capacity() ? start : start + rule.scale();
    return Math.max(0, from - now);
  }

  @Override
  void spend(long now, long wait, long amount) {
    long at = now + wait;
    if (at >= start + rule.scale() || used == 0) {
      start = isFixed() ? at - at % rule.scale() : at;
      used = 0;
    }
    used += amount;
  }

  @Override
  void giveBack(long now, long amount, long age) {
    if (start <= now && now - age >= start) {
      used = Math.max(0, used - amount);
    }
  }

  @Override
  long room() {
    return Math.max(0, rule.capacity() + rule.mostDebt() - used);
  }

  @Override
  long latest(long now) {
    return Math.max(0, start - now);
  }

  @Override
  long fullIn(long now) {
    return used == 0 ? 0 : start + rule.scale() - now;
  }

  @Override
  double spent() {
    return used;
  }

  @Override
  void fill(long now, double permits, boolean roundDown) {
    used = (long) (roundDown ? Math.floor(permits) : Math.ceil(permits));
  }

  @Override
  void resize(Share share) {
    used = share.of(used);
  }

  @Override
  byte[] save(long now) {
    return head(now, 14).put(7, start).put(7, used).bytes();
  }
}
