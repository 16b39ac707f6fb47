package dev.sluice.cli.replay;

/**
 * Admissions within one period of time up to the last one. Times are rounded down to a 1024th of
 * the period, so what is summed up lies within a period for certain, and may miss what came in that
 * part of it. Times never go down.
 */
final class Span {
  private static final int PARTS = 1024;
  private static final int FIRST_SIZE = 2;

  /** A ring of parts in which something was admitted; the size is a power of two. */
  private long[] parts = new long[FIRST_SIZE];

  private int[] counts = new int[FIRST_SIZE];
  private int first;
  private int size;
  private long sum;

  /** How many parts a period has. */
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
    int mask = parts.length - 1;
    while (size > 0 && parts[first] <= part - inPeriod) {
      sum -= counts[first];
      first = (first + 1) & mask;
      size--;
    }
    int last = (first + size - 1) & mask;
    if (size > 0 && parts[last] == part) {
      counts[last]++;
    } else {
      append(part);
    }
    return ++sum;
  }

  private void append(long part) {
    if (size == parts.length) {
      long[] longer = new long[2 * size];
      int[] longerCounts = new int[2 * size];
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
    counts[at] = 1;
    size++;
  }

  /** About how many bytes this takes up. */
  int weight() {
    return 80 + 12 * parts.length;
  }
}
