package dev.sluice.internal.lock;

import dev.sluice.lock.LockOptions;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One local caller in the queue: a thread that parks, or a stage to complete. */
abstract class Waiter {
  final LockOptions options;
  final UnitRequest unitRequest;

  /** Wants a single attempt and does not queue at the store. */
  final boolean once;

  /**
   * A request was sent after the caller came, so its reply is current for the caller. Guarded by
   * the coordinator's monitor.
   */
  boolean asked;

  /** The arrival time of the caller, by the engine's ticker. */
  final long since;

  /** The thread whose life bounds renewal, or null. */
  final @Nullable Thread boundTo;

  // guarded by the coordinator's monitor; kept by its queue
  boolean queued;
  @Nullable Waiter before;
  @Nullable Waiter after;

  Waiter(LockOptions options, UnitRequest unitRequest, boolean once, long since) {
    this.options = options;
    this.unitRequest = unitRequest;
    this.once = once;
    this.since = since;
    this.boundTo = options.isThreadBound() ? Thread.currentThread() : null;
  }

  boolean isAlike(UnitRequest otherRequest, LockOptions otherOptions) {
    return unitRequest.equals(otherRequest) && options.equals(otherOptions);
  }

  /** Ends the wait. Called once. */
  abstract void finish(Outcome outcome);

  /**
   * Ends the wait of the caller's own thread, which looks at the outcome later. May be called under
   * the monitor.
   *
   * @return false if it waits in another way; {@link #finish} it outside of the monitor
   */
  boolean finishOwn(Outcome outcome) {
    return false;
  }

  /** A parked thread, which may overtake and be overtaken while it wakes up. */
  static final class OfThread extends Waiter {
    private final Thread thread = Thread.currentThread();
    private volatile @Nullable Outcome outcome;

    /** Whether the thread was woken to take the lock. Written under the coordinator's monitor. */
    volatile boolean called;

    /** Woken, and found the lock taken by a faster thread. Guarded by the coordinator's monitor. */
    boolean arrived;

    OfThread(LockOptions options, UnitRequest unitRequest, boolean once, long since) {
      super(options, unitRequest, once, since);
    }

    @Nullable Outcome outcome() {
      return outcome;
    }

    /**
     * Blocks the caller's thread until another one has decided. It parks, because that thread may
     * need our carrier. An interruption meanwhile is kept.
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

    @Override
    boolean finishOwn(Outcome outcome) {
      if (thread != Thread.currentThread()) {
        return false;
      }
      this.outcome = outcome;
      return true;
    }

    void wake() {
      LockSupport.unpark(thread);
    }
  }
}
