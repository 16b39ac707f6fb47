package dev.sluice.replay;

import java.util.Arrays;

/**
 * The requests and refusals of each key, for every policy: of all keys while there are few, then of
 * an even sample. A key belongs to the sample if its hash begins with enough zeros, and each time
 * the table is full one zero more is asked for (adaptive sampling, Wegman; Flajolet 1990). So a key
 * that is in it at the end was in it from the first line on, and its counts are exact.
 */
final class KeyCounts {
  private static final int FIRST_SIZE = 1024;

  private final int maxKeys;
  private final int stride;

  /** For each slot: hash, requests, refusals by each policy. */
  private long[] table;

  private int slots = FIRST_SIZE;
  private int size;
  private int zeros;

  KeyCounts(int policies, int maxKeys) {
    this.maxKeys = maxKeys;
    this.stride = 2 + policies;
    this.table = new long[slots * stride];
  }

  /**
   * Counts a request.
   *
   * @return where this key is counted until the next call, or -1 if it is not in the sample
   */
  int asked(long hash) {
    if (!isInSample(hash)) {
      return -1;
    }
    int at = slot(hash);
    if (table[at] == 0) {
      if (size == maxKeys) {
        zeros++;
        rebuild(slots);
        return asked(hash);
      }
      if (2 * (size + 1) > slots) {
        rebuild(2 * slots);
        at = slot(hash);
      }
      table[at] = hash;
      size++;
    }
    table[at + 1]++;
    return at;
  }

  void refused(int at, int policy) {
    if (at >= 0) {
      table[at + 2 + policy]++;
    }
  }

  private boolean isInSample(long hash) {
    return Long.numberOfLeadingZeros(hash) >= zeros;
  }

  private int slot(long hash) {
    int mask = slots - 1;
    int slot = (int) hash & mask;
    while (table[slot * stride] != 0 && table[slot * stride] != hash) {
      slot = (slot + 1) & mask;
    }
    return slot * stride;
  }

  private void rebuild(int newSlots) {
    long[] old = table;
    slots = newSlots;
    table = new long[slots * stride];
    size = 0;
    for (int at = 0; at < old.length; at += stride) {
      if (old[at] != 0 && isInSample(old[at])) {
        System.arraycopy(old, at, table, slot(old[at]), stride);
        size++;
      }
    }
  }

  /** The number of keys; an estimate unless {@link #isExact()}. */
  long keys() {
    return (long) size << zeros;
  }

  boolean isExact() {
    return zeros == 0;
  }

  /** Share of the keys that a policy never refused. */
  double neverRefused(int policy) {
    long never = 0;
    for (int at = 0; at < table.length; at += stride) {
      if (table[at] != 0 && table[at + 2 + policy] == 0) {
        never++;
      }
    }
    return size == 0 ? 1 : (double) never / size;
  }

  /** The Gini coefficient of the keys' requests. */
  double giniOfAsked() {
    long[] counts = new long[size];
    int i = 0;
    for (int at = 0; at < table.length; at += stride) {
      if (table[at] != 0) {
        counts[i++] = table[at + 1];
      }
    }
    return gini(counts);
  }

  /** The Gini coefficient of the admissions by a policy. */
  double giniOfAdmitted(int policy) {
    long[] counts = new long[size];
    int i = 0;
    for (int at = 0; at < table.length; at += stride) {
      if (table[at] != 0) {
        counts[i++] = table[at + 1] - table[at + 2 + policy];
      }
    }
    return gini(counts);
  }

  /** 0 if all are equal, near 1 if one key has almost all. */
  static double gini(long[] counts) {
    Arrays.sort(counts);
    double sum = 0;
    double ranked = 0;
    for (int i = 0; i < counts.length; i++) {
      sum += counts[i];
      ranked += (i + 1.0) * counts[i];
    }
    int n = counts.length;
    return sum == 0 ? 0 : 2 * ranked / (n * sum) - (n + 1.0) / n;
  }
}
