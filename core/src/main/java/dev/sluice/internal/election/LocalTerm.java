package dev.sluice.internal.election;

import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.StepDown;
import dev.sluice.lock.Term;
import dev.sluice.text.Names;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A term that one thread leads. */
final class LocalTerm implements Term {
  private final Lease lease;
  private final Thread leader = Thread.currentThread();
  private final CompletableFuture<StepDown> over = new CompletableFuture<>();
  private final Executor callbacks;
  private volatile @Nullable StepDown end;

  /** The callback is running and may be interrupted. Guarded by this. */
  private boolean leading = true;

  LocalTerm(Lease lease, Executor callbacks) {
    this.lease = lease;
    this.callbacks = callbacks;
    lease.onChange((l, state) -> look(state));
  }

  private void look(LeaseState state) {
    switch (state) {
      case HELD -> {}
      case IN_DOUBT -> end(StepDown.IN_DOUBT);
      case LOST -> end(StepDown.LOST);
      case RELEASED -> end(StepDown.RESIGNED);
    }
  }

  @Override
  public long token() {
    return lease.token();
  }

  @Override
  public boolean isLeader() {
    if (end != null) {
      return false;
    }
    look(lease.state()); // the clock may be ahead of the timer; what is over stays over
    return end == null;
  }

  @Override
  public void checkLeader() {
    if (!isLeader()) {
      throw new LeaseLostException(
          "leadership of "
              + Names.quoted(lease.name())
              + " is over: "
              + end
              + " (token "
              + token()
              + ")");
    }
  }

  @Override
  public Lease lease() {
    return lease;
  }

  @Override
  public void resign() {
    end(StepDown.RESIGNED);
  }

  @Override
  public CompletionStage<StepDown> over() {
    return over.copy();
  }

  /**
   * Ends the term; the first reason is kept.
   *
   * @return the reason that counts
   */
  StepDown end(StepDown why) {
    synchronized (this) {
      StepDown known = end;
      if (known != null) {
        return known;
      }
      end = why;
      if (leading && Thread.currentThread() != leader) {
        leader.interrupt();
      }
    }
    callbacks.execute(() -> over.complete(why));
    return why;
  }

  boolean isOver() {
    return end != null;
  }

  /**
   * The callback has ended, so an interrupt meant for it must not affect later code of the thread.
   */
  synchronized void callbackEnded() {
    leading = false;
    Thread.interrupted();
  }
}
