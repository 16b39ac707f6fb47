package dev.sluice.replay;

/**
 * Admissions within one period of time up to the last one. Times are rounded down to a 1024th of
 * the period, so what is summed up lies within a period for certain, and may miss what came in that
 * part of it. Times never go down.
 */
final class Span {
  private static final int PARTS = 1024;
  private static final long[] NO_PARTS = {};
  private static final int[] NO_COUNTS = {};

  /** The last partition; most keys have no other. */
  private long newest;

  private int newestCount;

  /** A ring of the earlier partitions with admissions; its size is a power of two. */
  private long[] parts = NO_PARTS;

  private int[] counts = NO_COUNTS;
  private int first;
  private int size;
  private long sum;

  /** The number of partitions of a period. */
  static int parts(long periodMicros) {
    return (int) Math.min(PARTS, periodMicros);
  }

  /**
   * Counts one admission.
   *
   * @return how many there are within one period now
   */
  long add(long time, long periodMicros) {
    int inPeriod = parts(periodMicros);
    long part = time / (periodMicros / inPeriod);
    if (part != newest) {
      forgetUntil(part - inPeriod);
      if (newest > part - inPeriod) {
        append(newest, newestCount);
      } else {
        sum -= newestCount;
      }
      newest = part;
      newestCount = 0;
    }
    newestCount++;
    return ++sum;
  }

  private void forgetUntil(long part) {
    while (size > 0 && parts[first] <= part) {
      sum -= counts[first];
      first = (first + 1) & (parts.length - 1);
      size--;
    }
  }

  private void append(long part, int count) {
    if (size == parts.length) {
      long[] longer = new long[Math.max(2, 2 * size)];
      int[] longerCounts = new int[longer.length];
      for (int i = 0; i < size; i++) {
        longer[i] = parts[(first + i) & (size - 1)];
        longerCounts[i] = counts[(first + i) & (size - 1)];
      }
      parts = longer;
      counts = longerCounts;
      first = 0;
    }
    int at = (first + size) & (parts.length - 1);
    parts[at] = part;
    counts[at] = count;
    size++;
  }

  /** The approximate size in bytes. */
  int weight() {
    return parts.length == 0 ? 56 : 88 + 12 * parts.length;
  }
}
