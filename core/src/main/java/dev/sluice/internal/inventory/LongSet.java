package dev.sluice.internal.inventory;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.util.Arrays;

/**
 * A set of numbers, at eight to sixteen bytes each. Grows; nothing is taken out. For one thread
 * that adds; once it is handed over safely, any number may look.
 */
final class LongSet {
  private static final Hasher64 HASHER = Hashing.komihash5_0();

  private long[] slots = new long[64];
  private int size;
  private boolean hasZero;

  void add(long number) {
    if (number == 0) {
      hasZero = true;
      return;
    }
    if (size * 2 >= slots.length) {
      long[] before = slots;
      slots = new long[before.length * 2];
      Arrays.stream(before).filter(each -> each != 0).forEach(this::enter);
    }
    if (enter(number)) {
      size++;
    }
  }

  private boolean enter(long number) {
    int at = slot(number);
    if (slots[at] == number) {
      return false;
    }
    slots[at] = number;
    return true;
  }

  boolean contains(long number) {
    return number == 0 ? hasZero : slots[slot(number)] == number;
  }

  /** The index of a number, or its insertion point. */
  private int slot(long number) {
    int mask = slots.length - 1;
    int at = (int) mix(number) & mask;
    while (slots[at] != 0 && slots[at] != number) {
      at = at + 1 & mask;
    }
    return at;
  }

  int size() {
    return hasZero ? size + 1 : size;
  }

  /** A 64-bit hash of a text, with collisions of once in 2^64. */
  static long hash(String text) {
    return HASHER.hashCharsToLong(text);
  }

  /** Mixes all bits: the finishing step of SplitMix64. */
  private static long mix(long number) {
    long mixed = (number ^ number >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }
}
