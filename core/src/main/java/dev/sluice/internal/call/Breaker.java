package dev.sluice.internal.call;

import java.util.concurrent.TimeUnit;

/**
 * Stops calls to a store that does not answer: after five failures in a row, it allows one call a
 * second until one succeeds. Safe for use by many threads.
 */
public final class Breaker {
  private static final int FAILURES = 5;
  public static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  // guarded by this
  private int failures;
  private long nextTry;
  private long lastCounted;

  /** Avoids the lock on the hot path; true only while failures are counted. */
  private volatile boolean troubled;

  /** Whether a call may be sent to the store now. */
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

  /**
   * Counts a failure. Calls that were under way together fail together, and count once: a crowd
   * that found the store slow for a moment is no proof that it is away.
   *
   * @param sent when the call was made
   * @param now when it failed
   */
  synchronized void failed(long sent, long now) {
    if (failures > 0 && sent - lastCounted < 0) {
      return;
    }
    troubled = true;
    failures++;
    lastCounted = now;
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
