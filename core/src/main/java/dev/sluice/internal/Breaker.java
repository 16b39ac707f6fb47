package dev.sluice.internal;

import java.util.concurrent.TimeUnit;

/**
 * Stops asking a store that does not answer: after five failures in a row, one call a second tries
 * again until one succeeds. Safe for use by many threads.
 */
final class Breaker {
  private static final int FAILURES = 5;
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  // guarded by this
  private int failures;
  private long nextTry;

  /** Spares the lock on the hot path; true only while failures are counted. */
  private volatile boolean troubled;

  /** Whether a call may go to the store now. */
  boolean permits(long now) {
    return !troubled || permitsInTrouble(now);
  }

  private synchronized boolean permitsInTrouble(long now) {
    if (failures < FAILURES) {
      return true;
    }
    if (now - nextTry < 0) {
      return false;
    }
    nextTry = now + PAUSE_NANOS; // this one is the probe
    return true;
  }

  synchronized void failed(long now) {
    troubled = true;
    failures++;
    if (failures >= FAILURES) {
      nextTry = now + PAUSE_NANOS;
    }
  }

  void succeeded() {
    if (troubled) {
      synchronized (this) {
        failures = 0;
        troubled = false;
      }
    }
  }
}
