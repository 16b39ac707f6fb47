package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Failures;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseLostException;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.MultiLease;
import dev.sluice.lock.MultiLeaseListener;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Holds several {@link LocalLease}s of one caller. */
final class LocalMultiLease implements MultiLease {
  private static final System.Logger LOG = System.getLogger("dev.sluice.lock");

  private final GrantEngine engine;
  private final Map<String, LocalLease> leases;

  // guarded by this
  private final List<MultiLeaseListener> listeners = new ArrayList<>();
  private LeaseState lastTold = LeaseState.HELD;
  private CompletableFuture<?> told = CompletableFuture.completedFuture(null);

  LocalMultiLease(GrantEngine engine, SortedMap<String, LocalLease> leases) {
    this.engine = engine;
    this.leases = new LinkedHashMap<>(leases);
  }

  @Override
  public List<String> names() {
    return List.copyOf(leases.keySet());
  }

  @Override
  public long token(String name) {
    return lease(name).token();
  }

  @Override
  public Lease lease(String name) {
    LocalLease lease = leases.get(requireNonNull(name, "name must not be null"));
    if (lease == null) {
      throw new IllegalArgumentException(
          Names.quoted(name)
              + " is none of "
              + leases.keySet().stream().map(Names::quoted).toList());
    }
    return lease;
  }

  @Override
  public Duration remaining() {
    return leases.values().stream()
        .map(LocalLease::remaining)
        .min(Duration::compareTo)
        .orElse(Duration.ZERO);
  }

  @Override
  public LeaseState state() {
    LeaseState whole = LeaseState.HELD;
    for (LocalLease lease : leases.values()) {
      LeaseState part = lease.state();
      if (part == LeaseState.LOST) {
        return part;
      }
      if (part == LeaseState.RELEASED || whole == LeaseState.HELD) {
        whole = part;
      }
    }
    return whole;
  }

  @Override
  public void checkHeld() {
    leases.values().forEach(LocalLease::checkHeld);
  }

  /** The state of the first lease that has ended. */
  LeaseLostException lost() {
    for (LocalLease lease : leases.values()) {
      if (lease.wasLost()) {
        return lease.lost();
      }
    }
    return leases.values().iterator().next().lost();
  }

  @Override
  public boolean renew(Duration ttl) {
    return renewed(beginRenew(ttl));
  }

  @Override
  public CompletionStage<Boolean> renewAsync(Duration ttl) {
    Map<LocalLease, CompletableFuture<Boolean>> renewals = beginRenew(ttl);
    return CompletableFuture.allOf(renewals.values().toArray(CompletableFuture<?>[]::new))
        .handleAsync((done, failure) -> renewed(renewals), engine.store.callbacks);
  }

  private Map<LocalLease, CompletableFuture<Boolean>> beginRenew(Duration ttl) {
    long ttlNanos = engine.store.checkTtl(ttl);
    Map<LocalLease, CompletableFuture<Boolean>> renewals = new LinkedHashMap<>();
    leases.values().forEach(lease -> renewals.put(lease, lease.beginRenew(ttlNanos)));
    return renewals;
  }

  private static boolean renewed(Map<LocalLease, CompletableFuture<Boolean>> renewals) {
    boolean all = true;
    RuntimeException failure = null;
    for (Map.Entry<LocalLease, CompletableFuture<Boolean>> renewal : renewals.entrySet()) {
      try {
        all &= Failures.await(renewal.getValue(), Failures.lock(renewal.getKey().name()));
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    if (failure != null && all) {
      throw failure;
    }
    return all;
  }

  @Override
  public MultiLease onChange(MultiLeaseListener listener) {
    requireNonNull(listener, "listener must not be null");
    boolean first;
    synchronized (this) {
      first = listeners.isEmpty();
      listeners.add(listener);
      if (lastTold != LeaseState.HELD) {
        notifyListener(listener, lastTold);
      }
    }
    if (first) {
      leases.values().forEach(lease -> lease.onChange((part, state) -> changed(state)));
    }
    return this;
  }

  /** The state of one lock has changed; by now it may have changed again. */
  private synchronized void changed(LeaseState part) {
    if (lastTold == LeaseState.LOST || lastTold == LeaseState.RELEASED) {
      return;
    }
    boolean isFinal = part == LeaseState.LOST || part == LeaseState.RELEASED;
    LeaseState whole = isFinal ? part : state();
    if (whole != lastTold) {
      lastTold = whole;
      listeners.forEach(listener -> notifyListener(listener, whole));
    }
  }

  private synchronized void notifyListener(MultiLeaseListener listener, LeaseState state) {
    told =
        told.thenRunAsync(() -> listener.onChange(this, state), engine.store.callbacks)
            .exceptionally(
                e -> {
                  LOG.log(System.Logger.Level.WARNING, "locks " + names() + ": listener failed", e);
                  return null;
                });
  }

  @Override
  public boolean release() {
    Map<LocalLease, CompletableFuture<Boolean>> freed = beginRelease();
    boolean all = true;
    for (Map.Entry<LocalLease, CompletableFuture<Boolean>> each : freed.entrySet()) {
      all &= each.getKey().wasOurs(each.getValue());
    }
    return all;
  }

  private Map<LocalLease, CompletableFuture<Boolean>> beginRelease() {
    Map<LocalLease, CompletableFuture<Boolean>> freed = new LinkedHashMap<>();
    leases.values().forEach(lease -> freed.put(lease, lease.beginRelease()));
    return freed;
  }

  @Override
  public CompletionStage<Boolean> releaseAsync() {
    CompletableFuture<Boolean> all = CompletableFuture.completedFuture(true);
    for (Map.Entry<LocalLease, CompletableFuture<Boolean>> each : beginRelease().entrySet()) {
      CompletableFuture<Boolean> freed = each.getValue();
      CompletableFuture<Boolean> ours =
          freed.handle((done, failure) -> each.getKey().wasOurs(freed));
      all = all.thenCombine(ours, Boolean::logicalAnd);
    }
    return all.thenApplyAsync(ours -> ours, engine.store.callbacks);
  }

  @Override
  public void close() {
    release();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("MultiLease[");
    leases.forEach(
        (name, lease) ->
            text.append(Names.quoted(name)).append(" token ").append(lease.token()).append(", "));
    return text.append(state()).append("]").toString();
  }
}
