package dev.sluice.state;

import dev.sluice.spi.LimitRule;
import java.util.ArrayList;
import java.util.List;

/**
 * The sliding log: every admission with its time, in order; the last ones may be in the future.
 * Refused calls leave no trace. Calls of the same microsecond share an entry and add up in it.
 */
final class LogMeter extends Meter {
  private record Entry(long time, long amount) {}

  private List<Entry> entries = new ArrayList<>();
  private long used;

  LogMeter(LimitRule rule, long now) {
    super(rule, now);
  }

  /**
   * The stored entries may begin with some that a script has skipped, and all times may have a
   * shift that a script recorded after a backward clock step. We write neither.
   */
  static LogMeter read(LimitRule was, Packed in, long stamp, long now) {
    LogMeter meter = new LogMeter(was, now);
    long shift = in.next(7) + Math.max(0, stamp - now);
    long first = in.next(4);
    long count = in.next(4);
    in.next(5); // their sum, for scripts that do not read them all
    for (long i = 0; i < first + count; i++) {
      Entry entry = new Entry(in.next(7) - shift, in.next(3));
      if (i >= first && entry.time + was.scale() > now) {
        meter.entries.add(entry);
        meter.used += entry.amount;
      }
    }
    return meter;
  }

  private long last() {
    return entries.isEmpty() ? 0 : entries.get(entries.size() - 1).time;
  }

  @Override
  long available(long now) {
    return last() > now ? 0 : Math.max(0, rule.capacity() - used);
  }

  @Override
  long waitFor(long now, long cost) {
    long toFree = used + cost - rule.capacity();
    long from = last();
    for (int i = 0; i < entries.size() && toFree > 0; i++) {
      toFree -= entries.get(i).amount;
      from = Math.max(last(), entries.get(i).time + rule.scale());
    }
    return Math.max(0, from - now);
  }

  @Override
  void spend(long now, long wait, long amount) {
    long at = now + wait;
    int end = entries.size() - 1;
    if (end >= 0 && entries.get(end).time == at) {
      entries.set(end, new Entry(at, entries.get(end).amount + amount));
    } else {
      entries.add(new Entry(at, amount));
    }
    used += amount;
  }

  /** Starts with the oldest entry; windows that end now or later count the same. */
  @Override
  void giveBack(long now, long amount, long age) {
    if (last() > now || age >= rule.scale()) {
      return;
    }
    long left = amount;
    while (left > 0 && !entries.isEmpty()) {
      Entry oldest = entries.get(0);
      long taken = Math.min(left, oldest.amount);
      left -= taken;
      used -= taken;
      if (taken == oldest.amount) {
        entries.remove(0);
      } else {
        entries.set(0, new Entry(oldest.time, oldest.amount - taken));
      }
    }
  }

  @Override
  long room() {
    return Math.max(0, rule.capacity() + rule.mostDebt() - used);
  }

  @Override
  long latest(long now) {
    return Math.max(0, last() - now);
  }

  @Override
  long fullIn(long now) {
    return entries.isEmpty() ? 0 : last() + rule.scale() - now;
  }

  @Override
  double spent() {
    return used;
  }

  @Override
  void fill(long now, double permits, boolean roundDown) {
    used = (long) (roundDown ? Math.floor(permits) : Math.ceil(permits));
    if (used > 0) {
      entries.add(new Entry(now, used));
    }
  }

  /** The log is exact: an admission is never counted for less than it was. */
  @Override
  void resize(Share share) {}

  @Override
  byte[] save(long now) {
    Packed out =
        head(now, 20 + 10 * entries.size()).put(7, 0).put(4, 0).put(4, entries.size()).put(5, used);
    for (Entry entry : entries) {
      out.put(7, entry.time).put(3, entry.amount);
    }
    return out.bytes();
  }
}
