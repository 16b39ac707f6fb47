package dev.sluice.replay;

import java.util.Arrays;

/**
 * Requests and refusals over time, in a fixed number of bins. They last a second each at first, and
 * twice as long whenever the log goes on behind the last one.
 */
final class Timeline {
  private static final int BINS = 480;
  private static final long SECOND = 1_000_000;

  private final long[] asked = new long[BINS];
  private final long[][] refused;
  private long start = Long.MIN_VALUE;
  private long width = SECOND;
  private int used;

  Timeline(int policies) {
    refused = new long[policies][BINS];
  }

  /** Counts a request; times must not decrease. */
  int asked(long time) {
    if (start == Long.MIN_VALUE) {
      start = time - time % SECOND;
    }
    while ((time - start) / width >= BINS) {
      halve(asked);
      for (long[] counts : refused) {
        halve(counts);
      }
      width *= 2;
    }
    int bin = (int) ((time - start) / width);
    asked[bin]++;
    used = bin + 1;
    return bin;
  }

  void refused(int bin, int policy) {
    refused[policy][bin]++;
  }

  private static void halve(long[] counts) {
    for (int i = 0; i < BINS / 2; i++) {
      counts[i] = counts[2 * i] + counts[2 * i + 1];
    }
    Arrays.fill(counts, BINS / 2, BINS, 0);
  }

  long startMicros() {
    return start;
  }

  long widthMicros() {
    return width;
  }

  long[] asked() {
    return Arrays.copyOf(asked, used);
  }

  long[] refusedBy(int policy) {
    return Arrays.copyOf(refused[policy], used);
  }
}
