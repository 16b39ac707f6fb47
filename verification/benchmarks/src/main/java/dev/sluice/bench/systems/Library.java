package dev.sluice.bench.systems;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A library under test, with its own client and connections. It throws for features that it does
 * not have, so that no table shows a usage that was not measured.
 */
public interface Library {
  /** A lock for one thread. */
  default Mutex lock(String name, LockUse use) {
    throw cannot("lock that is " + use);
  }

  /**
   * A limiter that all threads of a process share.
   *
   * @param keys every key that it will be asked for; prepared where a library needs that
   */
  default KeyedCall limit(String name, List<String> keys, Allowance allowance) throws Exception {
    throw cannot("limiter that is " + allowance);
  }

  /** Claims of one unit of a stock, each for another claimant; false if the answer is wrong. */
  default KeyedCall stock(String name, boolean soldOut) {
    throw cannot("stock, sold out: " + soldOut);
  }

  /** A new Bloom filter for so many elements at a rate of false positives. */
  default Elements filter(String name, int size, double rate) {
    throw cannot("Bloom filter");
  }

  /**
   * A cache that all threads of a process share.
   *
   * @param patient whether the store may take a second to answer
   * @param loader reads what stands for a database; null means absent
   */
  default Shelf cache(
      String name, Tier tier, boolean patient, Function<String, byte @Nullable []> loader) {
    throw cannot("cache that is " + tier + ", patient: " + patient);
  }

  /** {@return what to throw for a usage that a library does not have} */
  static UnsupportedOperationException cannot(String what) {
    return new UnsupportedOperationException("the library has no " + what);
  }

  /** A library of which plain locks are measured, and nothing else. */
  static Library ofLocks(Function<String, Mutex> locks) {
    return new Library() {
      @Override
      public Mutex lock(String name, LockUse use) {
        return use == LockUse.PLAIN ? locks.apply(name) : Library.super.lock(name, use);
      }
    };
  }
}
