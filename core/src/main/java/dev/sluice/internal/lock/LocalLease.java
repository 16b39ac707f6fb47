package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Failures;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseListener;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockObserver;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One local caller's share of a {@link LocalGrant}. */
final class LocalLease implements Lease, Outcome {

  private static final System.Logger LOG = System.getLogger("dev.sluice.lock");

  /** The result of a release after the end of the lease, which released nothing. */
  static final CompletableFuture<Boolean> NOTHING = CompletableFuture.completedFuture(false);

  /** Issues leases, and accepts their release. */
  interface LeaseIssuer {
    String name();

    GrantStore store();

    CompletableFuture<Boolean> renew(LocalLease lease, long ttlNanos);

    CompletableFuture<Boolean> release(LocalLease lease);

    CompletableFuture<Boolean> releaseAfter(LocalLease lease, long delayNanos);

    /** A release found that the lease was lost. */
    void countLoss();
  }

  final LeaseIssuer issuer;
  final LocalGrant grant;
  final UnitRequest unitRequest;
  private final long token;
  final long grantedAt;

  /** The thread whose life bounds renewal, or null. */
  final @Nullable Thread boundTo;

  // guarded by the monitor of the coordinator; kept by the grant
  boolean lent;
  @Nullable LocalLease earlier;
  @Nullable LocalLease later;

  /** The thread that got the lease, to detect that a thread waits for itself. */
  @Nullable Thread taker;

  /** RELEASED or LOST in the final state; HELD before. Written under the coordinator's monitor. */
  private volatile LeaseState end = LeaseState.HELD;

  private volatile @Nullable String lossReason;

  // guarded by this
  private @Nullable List<LeaseListener> listeners;
  private LockObserver.@Nullable LeaseObserver observer;
  private LeaseState lastChange = LeaseState.HELD;
  private CompletableFuture<?> told = NOTHING;

  LocalLease(
      LeaseIssuer issuer,
      LocalGrant grant,
      UnitRequest unitRequest,
      long token,
      long grantedAt,
      @Nullable Thread boundTo) {
    this.issuer = issuer;
    this.grant = grant;
    this.unitRequest = unitRequest;
    this.token = token;
    this.grantedAt = grantedAt;
    this.boundTo = boundTo;
  }

  private GrantStore store() {
    return issuer.store();
  }

  /** Whether the lease is still held. Under the coordinator's monitor. */
  boolean isCurrent() {
    return lent && !isOver();
  }

  @Override
  public String name() {
    return issuer.name();
  }

  @Override
  public long token() {
    return token;
  }

  @Override
  public String attempt() {
    return store().clientId + "." + grant.attempt.attempt();
  }

  @Override
  public Duration remaining() {
    LeaseState state = state();
    if (state == LeaseState.RELEASED || state == LeaseState.LOST) {
      return Duration.ZERO;
    }
    return Duration.ofNanos(Math.max(0, grant.deadline - store().ticker.nanos()));
  }

  @Override
  public LeaseState state() {
    LeaseState known = end;
    if (known != LeaseState.HELD) {
      return known;
    }
    if (grant.hasEnded(store().rules, store().ticker.nanos())) {
      return LeaseState.LOST;
    }
    return grant.inDoubt ? LeaseState.IN_DOUBT : LeaseState.HELD;
  }

  @Override
  public void checkHeld() {
    LeaseState state = state();
    if (state == LeaseState.RELEASED) {
      throw new LeaseLostException(
          unitRequest.of(name()) + ": lease was released (token " + token + ")");
    }
    if (state == LeaseState.LOST) {
      throw lost();
    }
  }

  /**
   * Whether the listeners were notified of the end; the coordinator may keep the lease a little
   * longer.
   */
  boolean isOver() {
    return end != LeaseState.HELD;
  }

  /** Whether the lease ended without a release, as far as is known. */
  boolean wasLost() {
    return lossReason != null || state() == LeaseState.LOST;
  }

  LeaseLostException lost() {
    String reason = lossReason;
    return new LeaseLostException(
        unitRequest.of(name())
            + " lost: "
            + (reason == null ? "its time ran out" : reason)
            + " (token "
            + token
            + ")");
  }

  @Override
  public boolean renew(Duration ttl) {
    long ttlNanos = store().checkTtl(ttl);
    return Failures.await(issuer.renew(this, ttlNanos), unitRequest.of(name()));
  }

  @Override
  public CompletionStage<Boolean> renewAsync(Duration ttl) {
    CompletableFuture<Boolean> renewal = issuer.renew(this, store().checkTtl(ttl));
    return Failures.later(renewal, unitRequest.of(name()), store().callbacks);
  }

  /** Extends the lease by a valid TTL. */
  CompletableFuture<Boolean> beginRenew(long ttlNanos) {
    return issuer.renew(this, ttlNanos);
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
        notifyListener(listener, lastChange);
      }
    }
    return this;
  }

  /**
   * An observer is added right after the grant. A change that happened in between is reported
   * immediately.
   */
  synchronized void watchedBy(LockObserver.LeaseObserver leaseObserver) {
    observer = leaseObserver;
    if (lastChange != LeaseState.HELD) {
      ObserverCall.changed(leaseObserver, lastChange);
    }
  }

  /** {@return a call of the observer for a renewal; null without an observer} */
  synchronized @Nullable Runnable renewed() {
    LockObserver.LeaseObserver watching = observer;
    return watching == null ? null : () -> ObserverCall.renewed(watching);
  }

  /**
   * Called under the coordinator's monitor.
   *
   * @return calls the present listeners, to be run outside of the monitor; null if there are none
   */
  synchronized @Nullable Runnable changed(LeaseState state, @Nullable String reason) {
    if (state == LeaseState.LOST || state == LeaseState.RELEASED) {
      if (reason != null) {
        lossReason = reason;
      }
      end = state;
    }
    lastChange = state;
    LockObserver.LeaseObserver watching = observer;
    if (listeners == null && watching == null) {
      return null;
    }
    List<LeaseListener> notified = listeners == null ? List.of() : List.copyOf(listeners);
    return () -> {
      if (watching != null) {
        ObserverCall.changed(watching, state);
      }
      notified.forEach(listener -> notifyListener(listener, state));
    };
  }

  private synchronized void notifyListener(LeaseListener listener, LeaseState state) {
    told =
        told.thenRunAsync(() -> listener.onChange(this, state), store().callbacks)
            .exceptionally(
                e -> {
                  LOG.log(
                      System.Logger.Level.WARNING, unitRequest.of(name()) + ": listener failed", e);
                  return null;
                });
  }

  @Override
  public boolean release() {
    return wasOurs(beginRelease());
  }

  /** Releases the lease; {@link #wasOurs} handles the store's reply. */
  CompletableFuture<Boolean> beginRelease() {
    return issuer.release(this);
  }

  /** Waits for the store's reply to a release; a call that released nothing counts no loss. */
  boolean wasOurs(CompletableFuture<Boolean> freed) {
    try {
      boolean ours = freed.join();
      if (!ours && freed != NOTHING && lossReason == null) {
        lossReason = "the store no longer had its grant";
        issuer.countLoss();
      }
      return ours;
    } catch (RuntimeException e) {
      return true; // over for us; the engine goes on telling the store
    }
  }

  /** Ends the lease, and keeps the lock taken for a while. */
  boolean releaseAfter(Duration delay) {
    return isNone(delay) ? release() : issuer.releaseAfter(this, store().checkDelay(delay)).join();
  }

  /** Releases as {@link #releaseAfter}, without waiting for the store. */
  CompletionStage<Boolean> releaseAfterLater(Duration delay) {
    return isNone(delay)
        ? releaseAsync()
        : issuer
            .releaseAfter(this, store().checkDelay(delay))
            .thenApplyAsync(ours -> ours, store().callbacks);
  }

  private static boolean isNone(Duration delay) {
    return delay.isNegative() || delay.isZero();
  }

  @Override
  public CompletionStage<Boolean> releaseAsync() {
    CompletableFuture<Boolean> freed = beginRelease();
    return freed.handleAsync((ours, failure) -> wasOurs(freed), store().callbacks);
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
