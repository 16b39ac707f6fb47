package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Failures;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseListener;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockObserver;
import dev.sluice.spi.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One local turn of a {@link Holding}: what the caller has in hand. */
final class LocalLease implements Lease {
  final LeaseCell cell;
  final Holding holding;
  final Demand demand;
  private final long token;
  final long grantedAt;

  /** The thread whose life bounds renewal, or null. */
  final @Nullable Thread boundTo;

  /** The thread that got it; for that thread, which asks whether it waits for itself. */
  @Nullable Thread taker;

  /** RELEASED or LOST once that is final; HELD before. Written under the cell's monitor. */
  private volatile LeaseState end = LeaseState.HELD;

  private volatile @Nullable String lossReason;

  // guarded by this
  private @Nullable List<LeaseListener> listeners;
  private LockObserver.@Nullable Holding observer;
  private LeaseState lastChange = LeaseState.HELD;
  private CompletableFuture<?> told = CompletableFuture.completedFuture(null);

  LocalLease(
      LeaseCell cell,
      Holding holding,
      Demand demand,
      long token,
      long grantedAt,
      @Nullable Thread boundTo) {
    this.cell = cell;
    this.holding = holding;
    this.demand = demand;
    this.token = token;
    this.grantedAt = grantedAt;
    this.boundTo = boundTo;
  }

  @Override
  public String name() {
    return cell.name;
  }

  @Override
  public long token() {
    return token;
  }

  @Override
  public String attempt() {
    return cell.engine.clientId + "." + holding.attempt;
  }

  @Override
  public Duration remaining() {
    LeaseState state = state();
    if (state == LeaseState.RELEASED || state == LeaseState.LOST) {
      return Duration.ZERO;
    }
    return Duration.ofNanos(Math.max(0, holding.deadline - cell.engine.ticker.nanos()));
  }

  @Override
  public LeaseState state() {
    LeaseState known = end;
    if (known != LeaseState.HELD) {
      return known;
    }
    if (holding.hasEnded(cell.engine.rules, cell.engine.ticker.nanos())) {
      return LeaseState.LOST;
    }
    return holding.inDoubt ? LeaseState.IN_DOUBT : LeaseState.HELD;
  }

  @Override
  public void checkHeld() {
    LeaseState state = state();
    if (state == LeaseState.RELEASED) {
      throw new LeaseLostException(
          demand.of(name()) + ": lease was released (token " + token + ")");
    }
    if (state == LeaseState.LOST) {
      throw lost();
    }
  }

  /** Whether the end was told; the cell may keep it a little longer. */
  boolean isOver() {
    return end != LeaseState.HELD;
  }

  /** Whether it ended without being given back, as far as is known. */
  boolean wasLost() {
    return lossReason != null || state() == LeaseState.LOST;
  }

  LeaseLostException lost() {
    String reason = lossReason;
    return new LeaseLostException(
        demand.of(name())
            + " lost: "
            + (reason == null ? "its time ran out" : reason)
            + " (token "
            + token
            + ")");
  }

  @Override
  public boolean renew(Duration ttl) {
    long ttlNanos = cell.engine.checkTtl(ttl);
    return Failures.await(cell.renew(this, ttlNanos), demand.of(name()));
  }

  /** Lengthens the lease by a TTL that was checked. */
  CompletableFuture<Boolean> beginRenew(long ttlNanos) {
    return cell.renew(this, ttlNanos);
  }

  @Override
  public Lease onChange(LeaseListener listener) {
    requireNonNull(listener, "listener must not be null");
    synchronized (this) {
      if (listeners == null) {
        listeners = new ArrayList<>();
      }
      listeners.add(listener);
      if (lastChange != LeaseState.HELD) {
        tell(listener, lastChange);
      }
    }
    return this;
  }

  /** An observer comes right after the grant; what happened in between is told at once. */
  synchronized void watchedBy(LockObserver.Holding holding) {
    observer = holding;
    if (lastChange != LeaseState.HELD) {
      Watch.tell(holding, lastChange);
    }
  }

  /** {@return tells the observer of a renewal; null where nobody observes} */
  synchronized @Nullable Runnable renewed() {
    LockObserver.Holding watching = observer;
    return watching == null ? null : () -> Watch.tellRenewed(watching);
  }

  /**
   * Under the cell's monitor.
   *
   * @return tells those who listen now, to be run outside of the monitor; null when nobody does
   */
  synchronized @Nullable Runnable changed(LeaseState state, @Nullable String reason) {
    if (state == LeaseState.LOST || state == LeaseState.RELEASED) {
      lossReason = reason;
      end = state;
    }
    lastChange = state;
    LockObserver.Holding watching = observer;
    if (listeners == null && watching == null) {
      return null;
    }
    List<LeaseListener> heard = listeners == null ? List.of() : List.copyOf(listeners);
    return () -> {
      if (watching != null) {
        Watch.tell(watching, state);
      }
      heard.forEach(listener -> tell(listener, state));
    };
  }

  private synchronized void tell(LeaseListener listener, LeaseState state) {
    told =
        told.thenRunAsync(() -> listener.onChange(this, state), cell.engine.callbacks)
            .exceptionally(
                e -> {
                  LockEngine.LOG.log(
                      System.Logger.Level.WARNING, demand.of(name()) + ": listener failed", e);
                  return null;
                });
  }

  @Override
  public boolean release() {
    return wasOurs(beginRelease());
  }

  /** Lets go; what the store says is for {@link #wasOurs}. */
  CompletableFuture<Boolean> beginRelease() {
    return cell.release(this);
  }

  /** Waits for what the store says to a release; a call that released nothing counts no loss. */
  boolean wasOurs(CompletableFuture<Boolean> freed) {
    try {
      boolean ours = freed.join();
      if (!ours && freed != LockEngine.NO && lossReason == null) {
        lossReason = "the store no longer had its grant";
        cell.countLoss();
      }
      return ours;
    } catch (RuntimeException e) {
      return true; // over for us; the engine goes on telling the store
    }
  }

  @Override
  public boolean releaseAfter(Duration delay) {
    requireNonNull(delay, "delay must not be null");
    if (delay.isNegative() || delay.isZero()) {
      return release();
    }
    return cell.releaseAfter(this, cell.engine.checkDelay(delay)).join();
  }

  @Override
  public CompletionStage<Boolean> releaseAsync() {
    CompletableFuture<Boolean> freed = beginRelease();
    return freed.handleAsync((ours, failure) -> wasOurs(freed), cell.engine.callbacks);
  }

  @Override
  public void close() {
    release();
  }

  @Override
  public String toString() {
    return "Lease[" + Names.quoted(name()) + ", token " + token + ", " + state() + "]";
  }
}
