package dev.sluice.state;

import dev.sluice.spi.LimitRule;

/**
 * The sliding window as counts per slot. The window takes up {@code step} slots and touches one
 * more; all of them count in full, so no window of the length, wherever it starts, ever holds more
 * than the capacity. The newest slot may lie ahead, for what is promised.
 */
final class SlotMeter extends Meter {
  private static final int COUNT_BYTES = 5;
  private static final long MAX_COUNT = (1L << 8 * COUNT_BYTES) - 1;

  /** The slots by age, newest first. */
  private final long[] counts;

  /** The number of the newest slot since the epoch. */
  private long newest;

  SlotMeter(LimitRule rule, long now) {
    super(rule, now);
    counts = new long[(int) rule.step() + 1];
    newest = now / rule.scale();
  }

  static SlotMeter read(LimitRule was, Packed in, long stamp, long now) {
    SlotMeter meter = new SlotMeter(was, now);
    long current = meter.newest;
    meter.newest = in.next(7);
    for (int i = 0; i < meter.counts.length; i++) {
      meter.counts[i] = in.next(COUNT_BYTES);
    }
    if (stamp > now) {
      meter.newest -= (stamp - now) / was.scale(); // never by more than the clock went back
    }
    meter.moveTo(current);
    return meter;
  }

  /** Makes room for later slots by dropping the oldest. */
  private void moveTo(long slot) {
    long by = slot - newest;
    if (by <= 0) {
      return;
    }
    for (int i = counts.length - 1; i >= 0; i--) {
      counts[i] = i - by >= 0 ? counts[(int) (i - by)] : 0;
    }
    newest = slot;
  }

  private long used() {
    long sum = 0;
    for (long count : counts) {
      sum += count;
    }
    return sum;
  }

  @Override
  long available(long now) {
    return newest > now / rule.scale() ? 0 : Math.max(0, rule.capacity() - used());
  }

  @Override
  long waitFor(long now, long cost) {
    long toFree = used() + cost - rule.capacity();
    long from = newest;
    for (int i = counts.length - 1; i >= 0 && toFree > 0; i--) {
      toFree -= counts[i];
      from = newest - i + counts.length;
    }
    return Math.max(0, from * rule.scale() - now);
  }

  @Override
  void spend(long now, long wait, long amount) {
    moveTo((now + wait) / rule.scale());
    counts[0] += amount;
  }

  /** Starts with the oldest slot; windows that end now or later count the same. */
  @Override
  void giveBack(long now, long amount, long age) {
    if (newest > now / rule.scale() || (now - age) / rule.scale() <= newest - counts.length) {
      return;
    }
    long left = amount;
    for (int i = counts.length - 1; i >= 0 && left > 0; i--) {
      long taken = Math.min(left, counts[i]);
      counts[i] -= taken;
      left -= taken;
    }
  }

  @Override
  long room() {
    return Math.max(0, rule.capacity() + rule.mostDebt() - used());
  }

  @Override
  long latest(long now) {
    return Math.max(0, newest * rule.scale() - now);
  }

  @Override
  long fullIn(long now) {
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        return (newest - i + counts.length) * rule.scale() - now;
      }
    }
    return 0;
  }

  @Override
  double spent() {
    return used();
  }

  @Override
  void fill(long now, double permits, boolean roundDown) {
    counts[0] = (long) (roundDown ? Math.floor(permits) : Math.ceil(permits));
  }

  @Override
  void resize(Share share) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] = Math.min(MAX_COUNT, share.of(counts[i])); // a debt counts beyond the capacity
    }
  }

  @Override
  byte[] save(long now) {
    Packed out = head(now, 8 + counts.length * COUNT_BYTES).put(1, rule.step()).put(7, newest);
    for (long count : counts) {
      out.put(COUNT_BYTES, count);
    }
    return out.bytes();
  }
}
