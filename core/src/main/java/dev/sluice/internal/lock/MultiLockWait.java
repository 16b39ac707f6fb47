package dev.sluice.internal.lock;

import dev.sluice.BackendException;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.RetryingCall;
import dev.sluice.lock.Lease;
import dev.sluice.lock.LeaseState;
import dev.sluice.lock.LockTimeoutException;
import dev.sluice.lock.MultiLease;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * One wait for several locks without a thread: the steps of {@link ClientMultiLock#acquire}, each
 * begun by the reply to the step before, so steps never overlap.
 */
final class MultiLockWait {
  private final ClientMultiLock locks;
  private final GrantEngine engine;
  private final GrantStore store;
  private final long start;
  private final long waitNanos;
  private final CompletableFuture<Optional<MultiLease>> answer = new CompletableFuture<>();

  /** The lock that is waited for. */
  private volatile @Nullable CompletableFuture<?> waiting;

  // each step sees what the step before wrote
  private final TreeMap<String, LocalLease> held = new TreeMap<>();
  private boolean waited;
  private int ranOut;

  /**
   * @param waitNanos longest wait; zero asks once
   */
  MultiLockWait(ClientMultiLock locks, GrantEngine engine, long waitNanos) {
    this.locks = locks;
    this.engine = engine;
    this.store = engine.store;
    this.start = store.ticker.nanos();
    this.waitNanos = waitNanos;
  }

  /** {@return a stage with the lease, or empty after a single attempt; may be cancelled} */
  CompletableFuture<Optional<MultiLease>> begin() {
    store.checkOpen();
    answer.whenComplete(
        (lease, failure) -> {
          CompletableFuture<?> now = waiting;
          if (failure != null && now != null) {
            now.cancel(false);
          }
        });
    ask();
    return answer;
  }

  /** Requests each lock that is not held, all in parallel. */
  private void ask() {
    giveBack(ClientMultiLock.takeLost(held));
    Map<String, CompletableFuture<Optional<Lease>>> asked = new LinkedHashMap<>();
    RuntimeException closed = null;
    try {
      for (String name : locks.names()) {
        if (!held.containsKey(name)) {
          asked.put(name, locks.lock(name).askLater());
        }
      }
    } catch (RuntimeException e) { // closed meanwhile; what was asked must be heard all the same
      closed = e;
    }
    RuntimeException failure = closed;
    all(asked.values()).whenComplete((done, failed) -> step(() -> onAnswers(asked, failure)));
  }

  private void onAnswers(
      Map<String, CompletableFuture<Optional<Lease>>> asked, @Nullable RuntimeException closed) {
    RuntimeException failure = closed;
    for (Map.Entry<String, CompletableFuture<Optional<Lease>>> each : asked.entrySet()) {
      try {
        each.getValue().join().ifPresent(lease -> held.put(each.getKey(), (LocalLease) lease));
      } catch (CompletionException e) {
        failure = ClientMultiLock.worse(failure, asRuntime(e));
      }
    }
    String missing = locks.firstMissing(held);
    if (answer.isDone()) {
      giveBack(held.values());
    } else if (failure != null && (waitNanos == 0 || !(failure instanceof BackendException))) {
      fail(failure);
    } else if (missing == null) {
      onAllHeld();
    } else if (waitNanos == 0) {
      giveBack(held.values()).whenComplete((done, failed) -> answer.complete(Optional.empty()));
    } else {
      waitFor(missing);
    }
  }

  private void onAllHeld() {
    if (!waited || locks.options().isRenewing()) {
      finish();
      return;
    }
    // a lease that is not renewed counts from its last part: all get the same time once more
    long ttlNanos = locks.options().ttl().toNanos();
    List<CompletableFuture<Boolean>> renewals = new ArrayList<>();
    held.values().forEach(lease -> renewals.add(lease.beginRenew(ttlNanos)));
    all(renewals).whenComplete((done, failed) -> step(() -> onRenewed(renewals)));
  }

  private void onRenewed(List<CompletableFuture<Boolean>> renewals) {
    boolean whole =
        renewals.stream().allMatch(each -> each.isCompletedExceptionally() || each.join())
            && held.values().stream().noneMatch(lease -> lease.state() == LeaseState.LOST);
    long passed = store.ticker.nanos() - start;
    if (answer.isDone()) {
      giveBack(held.values());
    } else if (whole) {
      finish();
    } else if (passed >= waitNanos) {
      fail(locks.ranOut(ranOut + 1, passed));
    } else if (++ranOut == 1) {
      ask();
    } else {
      long pause = Math.min(waitNanos - passed, RetryingCall.pause(ranOut, store::jitter));
      store.timers.in(pause, () -> store.callbacks.execute(() -> step(this::ask)));
    }
  }

  /** Releases locks that are later in the order of names first, so that waiters can't deadlock. */
  private void waitFor(String missing) {
    ranOut = 0;
    List<LocalLease> later = List.copyOf(held.tailMap(missing).values());
    held.tailMap(missing).clear();
    giveBack(later)
        .whenComplete(
            (done, failed) ->
                step(
                    () -> {
                      CompletableFuture<Lease> one =
                          locks
                              .lock(missing)
                              .async()
                              .acquire(locks.left(start, waitNanos))
                              .toCompletableFuture();
                      waiting = one;
                      if (answer.isDone()) {
                        one.cancel(false);
                      }
                      one.whenComplete(
                          (lease, failure) -> step(() -> onOne(missing, lease, failure)));
                    }));
  }

  private void onOne(String name, @Nullable Lease lease, @Nullable Throwable failure) {
    waiting = null;
    if (lease != null) {
      held.put(name, (LocalLease) lease);
      waited = true;
    }
    if (answer.isDone()) {
      giveBack(held.values());
    } else if (failure == null) {
      ask();
    } else {
      RuntimeException why = asRuntime(failure);
      fail(why instanceof LockTimeoutException ? locks.timedOut(name, start) : why);
    }
  }

  // ---- ends ----

  /** A step that throws, for example because the client was closed, ends the wait. */
  private void step(Runnable next) {
    try {
      next.run();
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private void finish() {
    MultiLease lease = new LocalMultiLease(engine, held);
    if (!answer.complete(Optional.of(lease))) {
      lease.releaseAsync(); // cancelled by the caller
    }
  }

  private void fail(RuntimeException failure) {
    giveBack(held.values()).whenComplete((done, failed) -> answer.completeExceptionally(failure));
  }

  private static RuntimeException asRuntime(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    return cause instanceof RuntimeException known ? known : new CompletionException(cause);
  }

  /**
   * Releases all locks in parallel. Completes when the store has answered, so that a refused call
   * leaves no lock held.
   */
  private static CompletableFuture<?> giveBack(Collection<LocalLease> leases) {
    Map<LocalLease, CompletableFuture<Boolean>> freed = new LinkedHashMap<>();
    leases.forEach(lease -> freed.put(lease, lease.beginRelease()));
    return all(freed.values()).whenComplete((done, failed) -> freed.forEach(LocalLease::wasOurs));
  }

  private static CompletableFuture<Void> all(Collection<? extends CompletableFuture<?>> asked) {
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new));
  }
}
