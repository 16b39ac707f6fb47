package dev.sluice.internal.inventory;

import dev.sluice.internal.call.BatchWork;
import dev.sluice.internal.call.Batcher;
import dev.sluice.internal.call.Failures;
import dev.sluice.inventory.ClaimResult;
import dev.sluice.spi.ClaimRequest;
import dev.sluice.spi.ClaimsReply;
import dev.sluice.spi.InventoryBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;

/**
 * One stock in this process: batches claims, and caches "sold out". Safe for use by many threads.
 */
final class StockCoordinator {
  /*
   * A claim without an answer is sent again under its own request id, which the store answers as
   * before. So it does not matter which claims travel with it.
   */
  private static final BatchWork.Rules RULES =
      new BatchWork.Rules(InventoryBackend.MAX_BATCH, 4, 64, Long.MAX_VALUE);

  private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long USED_NANOS = TimeUnit.MINUTES.toNanos(1);

  /**
   * A claim, and the time for which "sold out" may be cached.
   *
   * @param request what is claimed
   * @param memoNanos zero or more
   */
  private record PendingClaim(ClaimRequest request, long memoNanos) {}

  final String name;
  final SoldOutMemo memo;
  private final InventoryStore store;
  private final BiConsumer<StockCoordinator, Boolean> isUsed;
  private final Batcher<PendingClaim, ClaimResult> claims;
  // guarded by this
  private final List<InventoryDrain> drains = new ArrayList<>();
  private boolean closed;
  private volatile boolean sweeping; // changed under the lock
  private volatile long lastUse;

  /**
   * A stock before its first use.
   *
   * @param isUsed called when the stock comes into use, and when it has not been used for a while
   */
  StockCoordinator(
      InventoryStore store, String name, BiConsumer<StockCoordinator, Boolean> isUsed) {
    this.store = store;
    this.name = name;
    this.isUsed = isUsed;
    this.memo = new SoldOutMemo(store.backend, name, store.ticker);
    this.claims = new Batcher<>(this::send, RULES, store.ticker, store.timers, store.callbacks);
  }

  // ---- claims ----

  /**
   * Sends a claim, alone or in a batch.
   *
   * @param request what is claimed
   * @param timeoutNanos most time
   * @param memoNanos for how long "sold out" may be remembered
   * @param mayBlock whether code that follows the answer may block the thread that delivers it
   * @return the answer
   */
  CompletableFuture<ClaimResult> claim(
      ClaimRequest request, long timeoutNanos, long memoNanos, boolean mayBlock) {
    long due = store.ticker.nanos() + timeoutNanos;
    touch();
    CompletableFuture<ClaimResult> answer =
        claims.add(new PendingClaim(request, memoNanos), due, mayBlock);
    if (answer == null) {
      throw Failures.closed();
    }
    return answer;
  }

  private CompletionStage<IntFunction<ClaimResult>> send(List<PendingClaim> batch) {
    List<ClaimRequest> requests = new ArrayList<>(batch.size());
    for (PendingClaim claim : batch) {
      requests.add(claim.request);
    }
    return store
        .backend
        .claim(name, requests)
        .thenApply(
            reply -> {
              remember(batch, reply);
              return reply.results()::get;
            });
  }

  private void remember(List<PendingClaim> batch, ClaimsReply reply) {
    long soldOutFor = 0;
    boolean other = false;
    boolean accepted = false;
    for (int i = 0; i < batch.size(); i++) {
      switch (reply.results().get(i).outcome()) {
        case SOLD_OUT -> soldOutFor = Math.max(soldOutFor, batch.get(i).memoNanos);
        case ACCEPTED -> accepted = true;
        case CLOSED, NOT_LOADED -> other = true;
        case ALREADY_CLAIMED -> {}
      }
    }
    if (accepted) {
      memo.forget(); // one more claimant who must not receive "sold out"
    } else if (other) {
      memo.clear();
    }
    if (soldOutFor > 0) {
      memo.learn(soldOutFor);
    }
    if (accepted) {
      wakeDrains();
    }
  }

  // ---- returns ----

  /** The stock is in use, so expired claims are looked for from time to time. */
  void touch() {
    lastUse = store.ticker.nanos();
    if (!sweeping && beginsToSweep()) {
      isUsed.accept(this, true);
      sweepLater();
    }
  }

  private synchronized boolean beginsToSweep() {
    boolean begins = !sweeping && !closed;
    sweeping = true;
    return begins;
  }

  private void sweepLater() {
    store.timers.in(SWEEP_NANOS * 3 / 4 + InventoryStore.jitter(SWEEP_NANOS / 2), this::sweep);
  }

  private void sweep() {
    synchronized (this) {
      boolean used = store.ticker.nanos() - lastUse < USED_NANOS || !drains.isEmpty();
      if (closed || !used && claims.isUnused()) {
        sweeping = false;
        memo.forget();
        isUsed.accept(this, false); // a caller that still has a reference may go on using it
        return;
      }
    }
    Failures.call(() -> store.backend.expire(name, InventoryBackend.MAX_BATCH))
        .whenComplete(
            (returned, failure) -> {
              if (returned != null && returned > 0) {
                memo.clear();
              }
              sweepLater(); // a store that does not answer is asked again no more often
            });
  }

  // ---- drains ----

  void add(InventoryDrain drain) {
    synchronized (this) {
      if (closed) {
        throw Failures.closed();
      }
      drains.add(drain);
    }
    touch();
  }

  synchronized void remove(InventoryDrain drain) {
    drains.remove(drain);
  }

  private void wakeDrains() {
    List<InventoryDrain> here;
    synchronized (this) {
      if (drains.isEmpty()) {
        return;
      }
      here = List.copyOf(drains);
    }
    here.forEach(InventoryDrain::wake);
  }

  // ---- end ----

  /** Fails claims without an answer; drains end after their present batch. */
  void close() {
    List<InventoryDrain> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(drains);
    }
    claims.close();
    open.forEach(InventoryDrain::closeSoon);
    open.forEach(InventoryDrain::awaitEnd);
  }
}
