package dev.sluice.internal.lock;

import dev.sluice.lock.LockOptions;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One local caller in the queue: a thread that parks, or a stage to complete. */
abstract class Waiter {
  final LockOptions options;
  final UnitRequest unitRequest;

  /** Wants one answer and does not queue at the store. */
  final boolean once;

  /**
   * A request left since the caller came, so its answer is news to him. Guarded by the
   * coordinator's monitor.
   */
  boolean asked;

  /** When the caller came, by the engine's ticker. */
  final long since;

  /** The thread whose life bounds renewal, or null. */
  final @Nullable Thread boundTo;

  Waiter(LockOptions options, UnitRequest unitRequest, boolean once, long since) {
    this.options = options;
    this.unitRequest = unitRequest;
    this.once = once;
    this.since = since;
    this.boundTo = options.isThreadBound() ? Thread.currentThread() : null;
  }

  /** Ends the wait. Called once. */
  abstract void finish(Outcome outcome);

  /** A parked thread; it may overtake and be overtaken while it wakes up. */
  static final class OfThread extends Waiter {
    private final Thread thread = Thread.currentThread();
    private volatile @Nullable Outcome outcome;

    /** Told to come and take the lock. Written under the coordinator's monitor. */
    volatile boolean called;

    /**
     * Came, and found the lock taken by a thread that was faster. Guarded by the coordinator's
     * monitor.
     */
    boolean arrived;

    OfThread(LockOptions options, UnitRequest unitRequest, boolean once, long since) {
      super(options, unitRequest, once, since);
    }

    @Nullable Outcome outcome() {
      return outcome;
    }

    /**
     * For its thread, once another has decided: parks, for that thread may need our carrier to say
     * so. An interruption meanwhile is kept.
     */
    Outcome awaitOutcome() {
      boolean interrupted = false;
      Outcome known = outcome;
      while (known == null) {
        LockSupport.park(this);
        interrupted |= Thread.interrupted();
        known = outcome;
      }
      if (interrupted) {
        thread.interrupt();
      }
      return known;
    }

    @Override
    void finish(Outcome outcome) {
      this.outcome = outcome;
      LockSupport.unpark(thread);
    }

    void wake() {
      LockSupport.unpark(thread);
    }
  }
}
