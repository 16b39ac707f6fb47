package dev.sluice.replay;

/** How long those who were admitted waited: counts in classes that are at most 1/16 wide. */
final class Delays {
  private static final int SUB_BITS = 4;
  private static final int SUB = 1 << SUB_BITS;

  private final long[] counts = new long[SUB * (64 - SUB_BITS)];
  private long total;
  private long delayed;
  private long most;

  void add(long micros) {
    counts[index(micros)]++;
    total++;
    delayed += micros > 0 ? 1 : 0;
    most = Math.max(most, micros);
  }

  private static int index(long micros) {
    if (micros < SUB) {
      return (int) micros;
    }
    int shift = 63 - SUB_BITS - Long.numberOfLeadingZeros(micros);
    return (shift << SUB_BITS) + (int) (micros >>> shift);
  }

  long delayed() {
    return delayed;
  }

  long most() {
    return most;
  }

  /** The wait that a share of the callers did not exceed, rounded up by at most 1/16. */
  long quantile(double share) {
    long left = (long) Math.ceil(share * total);
    int index = 0;
    while (index < counts.length - 1 && left > counts[index]) {
      left -= counts[index++];
    }
    if (index < 2 * SUB) {
      return Math.min(index, most);
    }
    int shift = (index >> SUB_BITS) - 1;
    long low = (long) (SUB + (index & (SUB - 1))) << shift;
    return Math.min(most, low + (1L << shift) - 1);
  }
}
