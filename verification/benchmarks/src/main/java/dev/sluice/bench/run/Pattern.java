package dev.sluice.bench.run;

/** What each thread of a workload does again and again. */
public enum Pattern {
  /** Acquire and release a lock of its own. */
  OWN_LOCK,
  /** The same with 4 ms of rest before each turn: what a round trip costs when nobody is warm. */
  OWN_LOCK_RESTED,
  /** Acquire the one lock, add one to the shared counter, release. */
  ONE_LOCK,
  /** Acquire and release the one thing that several may have at a time. */
  ONE_SHARED,
  /**
   * Hold the one lock for 3 ms while the other process waits, and let it have it; measures from
   * just before the release there to the return of acquire here.
   */
  HAND_OVER,
  /** Two processes take the lock in turns, at rest in between; measures acquire. */
  IN_TURNS
}
