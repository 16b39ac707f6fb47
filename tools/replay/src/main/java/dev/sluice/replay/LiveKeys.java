package dev.sluice.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keys with spent permits, by their hash, within a memory bound. What says nothing any more goes
 * first; if that is not enough, what would have said so soonest. Open addressing with linear
 * probing.
 */
final class LiveKeys {
  private static final int FIRST_SIZE = 1024;
  private static final int SLOT_BYTES = 24;

  private final long maxBytes;
  private long[] hashes = new long[FIRST_SIZE];
  private @Nullable KeyState[] states = new @Nullable KeyState[FIRST_SIZE];
  private int size;
  private long bytes;
  private long forgottenEarly;

  LiveKeys(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  @Nullable KeyState get(long hash) {
    int mask = hashes.length - 1;
    int at = (int) hash & mask;
    while (hashes[at] != hash) {
      if (hashes[at] == 0) {
        return null;
      }
      at = (at + 1) & mask;
    }
    return states[at];
  }

  /** Adds a key that is not there. */
  void add(long hash, KeyState state, long now) {
    if (2 * (size + 1) > hashes.length) {
      rebuild(now);
    }
    put(hash, state);
    size++;
    bytes += state.weight + SLOT_BYTES;
  }

  private void put(long hash, KeyState state) {
    int mask = hashes.length - 1;
    int at = (int) hash & mask;
    while (hashes[at] != 0) {
      at = (at + 1) & mask;
    }
    hashes[at] = hash;
    states[at] = state;
  }

  /** Records the present size of a key. */
  void weigh(KeyState state, int weight, long now) {
    bytes += weight - state.weight;
    state.weight = weight;
    if (bytes > maxBytes) {
      forget(now);
      if (bytes > maxBytes / 4 * 3) {
        forgetEarly();
      }
    }
  }

  private void forget(long now) {
    keep(now, Integer.MAX_VALUE, hashes.length);
  }

  /** Drops expired states; makes room if few were expired. */
  private void rebuild(long now) {
    int length = hashes.length;
    keep(now, Integer.MAX_VALUE, length);
    if (3 * size > length) {
      keep(now, Integer.MAX_VALUE, 2 * length);
    }
  }

  /** Keeps the states that have an effect after a time, and part of those that end just then. */
  private void keep(long time, int butFor, int length) {
    long[] oldHashes = hashes;
    @Nullable KeyState[] oldStates = states;
    hashes = new long[length];
    states = new @Nullable KeyState[length];
    size = 0;
    bytes = 0;
    int left = butFor;
    for (int i = 0; i < oldHashes.length; i++) {
      KeyState state = oldStates[i];
      if (state != null && (state.forgetAt > time || (state.forgetAt == time && left-- <= 0))) {
        put(oldHashes[i], state);
        size++;
        bytes += state.weight + SLOT_BYTES;
      }
    }
  }

  /** Drops a third of the states, those that expire first. */
  private void forgetEarly() {
    long[] ends = new long[size];
    int count = 0;
    for (KeyState state : states) {
      if (state != null) {
        ends[count++] = state.forgetAt;
      }
    }
    Arrays.sort(ends);
    int before = size;
    long last = ends[size / 3];
    int sooner = 0;
    while (ends[sooner] < last) {
      sooner++;
    }
    keep(last, size / 3 + 1 - sooner, hashes.length);
    forgottenEarly += before - size;
  }

  int size() {
    return size;
  }

  /** Keys that were dropped although permits were still counted as spent. */
  long forgottenEarly() {
    return forgottenEarly;
  }
}
