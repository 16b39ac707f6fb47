package dev.sluice.internal.lock;

/** The result of one caller's wait: a lease, a refusal or a failure. */
sealed interface Outcome permits LocalLease, Outcome.Busy, Outcome.Failed {

  /** A single attempt found the lock held by another client. */
  Outcome BUSY = new Busy();

  /** See {@link #BUSY}. */
  record Busy() implements Outcome {}

  /**
   * The caller gets an exception.
   *
   * @param failure the exception, or its cause
   */
  record Failed(Throwable failure) implements Outcome {}
}
