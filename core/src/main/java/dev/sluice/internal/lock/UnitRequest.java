package dev.sluice.internal.lock;

import dev.sluice.lock.PermitInfo;
import dev.sluice.text.Names;

/**
 * A caller's request for units of a name, without the length of the lease.
 *
 * @param noun what the name is, for messages
 * @param refusal why it may not be had, for messages
 * @param capacity how many units the name has
 * @param units how many the caller needs; zero shares one unit with other such callers
 * @param first whether to go before all who are not first
 */
record UnitRequest(String noun, String refusal, int capacity, int units, boolean first) {

  /** The whole of a lock. */
  static final UnitRequest LOCK = new UnitRequest("lock", "held by another lease", 1, 1, false);

  /** To read under a read-write lock. */
  static final UnitRequest READ =
      new UnitRequest(
          "read lock", "a writer holds it or comes first", PermitInfo.READ_WRITE_UNITS, 0, false);

  /** To write under a read-write lock. */
  static UnitRequest write(boolean first) {
    return new UnitRequest(
        "write lock",
        "held by another lease",
        PermitInfo.READ_WRITE_UNITS,
        PermitInfo.READ_WRITE_UNITS,
        first);
  }

  /** Permits of a semaphore. */
  static UnitRequest permits(int capacity, int permits) {
    return new UnitRequest("semaphore", "too few permits are free", capacity, permits, false);
  }

  /** Whether no other caller may have a unit beside it. */
  boolean takesAll() {
    return units == capacity;
  }

  /** Whether any number of such callers do with one unit. */
  boolean shares() {
    return units == 0;
  }

  /** The units without which the store's grant is of no use. */
  int least() {
    return Math.max(1, units);
  }

  /** How messages name it. */
  String of(String name) {
    return noun + " " + Names.quoted(name);
  }
}
