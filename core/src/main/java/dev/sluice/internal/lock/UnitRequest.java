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

  /** Returns a request for the single unit of a lock. */
  static final UnitRequest LOCK = new UnitRequest("lock", "held by another lease", 1, 1, false);

  /** Returns a request to read under a read-write lock. */
  static final UnitRequest READ =
      new UnitRequest(
          "read lock", "a writer holds it or comes first", PermitInfo.READ_WRITE_UNITS, 0, false);

  /** Returns a request to write under a read-write lock. */
  static UnitRequest write(boolean first) {
    return new UnitRequest(
        "write lock",
        "held by another lease",
        PermitInfo.READ_WRITE_UNITS,
        PermitInfo.READ_WRITE_UNITS,
        first);
  }

  /** Returns a request for permits of a semaphore. */
  static UnitRequest permits(int capacity, int permits) {
    return new UnitRequest("semaphore", "too few permits are free", capacity, permits, false);
  }

  /** Whether no other caller may have a unit at the same time. */
  boolean takesAll() {
    return units == capacity;
  }

  /** Whether any number of such callers share one unit. */
  boolean shares() {
    return units == 0;
  }

  /** The least units for which a grant is useful. */
  int least() {
    return Math.max(1, units);
  }

  /** The name of the lock in messages. */
  String of(String name) {
    return noun + " " + Names.quoted(name);
  }
}
