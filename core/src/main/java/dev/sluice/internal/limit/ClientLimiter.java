package dev.sluice.internal.limit;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Failures;
import dev.sluice.limit.AsyncRateLimiter;
import dev.sluice.limit.Decision;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimitedException;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.limit.RateLimiterStats;
import dev.sluice.limit.Reservation;
import dev.sluice.limit.Settlement;
import dev.sluice.limit.Usage;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A limiter as callers use it: the blocking and the asynchronous form over the same decisions. */
final class ClientLimiter implements RateLimiter {
  private final LimitStore store;
  private final QueuedReservations reservations;
  private final String name;
  private final String what;
  private final LimitCalls calls;
  private final BusyKeys keys;
  private final HotKeys hotKeys;
  private final UsageCalls uses;

  ClientLimiter(
      LimitStore store, QueuedReservations reservations, String name, RateLimiterOptions options) {
    this.store = store;
    this.reservations = reservations;
    this.name = name;
    this.what = "rate limiter " + Names.quoted(name);
    this.hotKeys = new HotKeys(store.ticker);
    this.calls = new LimitCalls(store, name, new LimitPolicy(what, options, store.ticker, null));
    this.keys = new BusyKeys(calls);
    this.uses = new UsageCalls(calls, keys);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public RateLimiterOptions options() {
    return calls.policy().options;
  }

  @Override
  public List<Limit> limitsOf(String key) {
    return calls.policy().of(Names.check("key", key)).limits;
  }

  @Override
  public void update(RateLimiterOptions options) {
    requireNonNull(options, "options must not be null");
    synchronized (this) {
      LimitPolicy before = calls.policy();
      int present = before.options.version();
      if (options.version() < present) {
        throw new IllegalArgumentException(
            "version must not decrease: " + options.version() + " after " + present);
      }
      calls.policy(new LimitPolicy(what, options, store.ticker, before));
    }
    keys.forgetLocal();
  }

  @Override
  public RateLimiterStats stats() {
    return calls.stats();
  }

  @Override
  public Map<String, Long> busiestKeys() {
    return hotKeys.take();
  }

  void close() {
    keys.close();
    calls.bounded.close();
  }

  // ---- blocking form ----

  @Override
  public Decision tryAcquire(String key, long cost) {
    return await(take(key, cost));
  }

  @Override
  public Decision peek(String key, long cost) {
    return await(look(key, cost));
  }

  @Override
  public Decision acquire(String key, long cost, Duration wait) throws InterruptedException {
    Decision decision = tryAcquire(key, cost, wait);
    if (!decision.allowed()) {
      throw new RateLimitedException(name, decision);
    }
    return decision;
  }

  @Override
  public Decision tryAcquire(String key, long cost, Duration wait) throws InterruptedException {
    if (Thread.interrupted()) {
      throw interrupted();
    }
    CompletableFuture<Decision> turn = waitFor(key, cost, wait, false, Runnable::run);
    try {
      return turn.get();
    } catch (InterruptedException e) {
      turn.cancel(false);
      throw interrupted();
    } catch (ExecutionException e) {
      throw Failures.forCaller(what, e);
    }
  }

  private InterruptedException interrupted() {
    return new InterruptedException("interrupted while waiting for " + what);
  }

  @Override
  public Reservation reserve(String key, long cost, Duration maxWait) {
    return await(makeReservation(check(key, cost, 1), key, cost, maxWait, false));
  }

  @Override
  public Usage tryBegin(String key, long estimate) {
    return await(use(key, estimate));
  }

  @Override
  public Usage begin(String key, long estimate) {
    return allowed(tryBegin(key, estimate));
  }

  @Override
  public Settlement settle(String key, String usageId, long actual) {
    return await(end(key, usageId, actual, false));
  }

  @Override
  public Settlement refund(String key, String usageId) {
    return await(end(key, usageId, 0, true));
  }

  @Override
  public void refund(String key, long cost) {
    await(giveBack(key, cost));
  }

  @Override
  public void reset(String key) {
    await(forget(key));
  }

  @Override
  public AsyncRateLimiter async() {
    return new AsyncView();
  }

  private <T> T await(CompletableFuture<T> stage) {
    return Failures.await(stage, what);
  }

  // ---- decisions ----

  private LimitPolicy.Tiers check(String key, long cost, long least) {
    store.checkOpen();
    Names.check("key", key);
    LimitPolicy.Tiers tiers = calls.policy().of(key);
    if (cost < least) {
      throw new IllegalArgumentException("cost must be >= " + least + ": " + cost);
    }
    long most = tiers.isQueue() ? Math.max(1, tiers.places) : tiers.capacity;
    if (cost > most) {
      throw new IllegalArgumentException(
          "cost must be <= " + most + ", what " + what + " ever admits in one call: " + cost);
    }
    return tiers;
  }

  private CompletableFuture<Decision> take(String key, long cost) {
    LimitPolicy.Tiers tiers = check(key, cost, 0);
    if (tiers.isQueue()) {
      return makeReservation(tiers, key, cost, Duration.ZERO, false)
          .thenApply(QueuedReservation::decision);
    }
    hotKeys.count(key);
    if (cost == 0) {
      return once(LimitRequest.Verb.TAKE, key, tiers, 0);
    }
    if (calls.policy().options.isLeasing()) {
      Decision answer = keys.local(key, tiers, cost);
      if (answer != null) {
        return CompletableFuture.completedFuture(answer);
      }
    }
    return keys.take(key, tiers, cost);
  }

  private CompletableFuture<Decision> look(String key, long cost) {
    LimitPolicy.Tiers tiers = check(key, cost, 0);
    return tiers.isQueue()
        ? lookAtQueue(key, cost, tiers)
        : once(LimitRequest.Verb.PEEK, key, tiers, cost);
  }

  /** A separate request, which waits for no other. */
  private CompletableFuture<Decision> once(
      LimitRequest.Verb verb, String key, LimitPolicy.Tiers tiers, long cost) {
    LimitRequest request = calls.request(verb, key, tiers, cost, 1, 0, 0);
    return calls.bounded.call(
        () -> store.backend.decide(request),
        (reply, failure) ->
            reply == null
                ? calls.fallBack(request, tiers, orNoAnswer(failure)).decision()
                : DecisionMapper.of(tiers, reply, Decision.Source.STORE));
  }

  private static Throwable orNoAnswer(@Nullable Throwable failure) {
    return failure == null ? new IllegalStateException("no answer") : failure;
  }

  // ---- reservations ----

  /**
   * Makes a reservation and completes at the reserved time.
   *
   * @param completer runs what follows a wait: not the timer, if that may block
   */
  private CompletableFuture<Decision> waitFor(
      String key, long cost, Duration wait, boolean refusalFails, Executor completer) {
    CompletableFuture<QueuedReservation> asked =
        makeReservation(check(key, cost, 1), key, cost, wait, true);
    CompletableFuture<Decision> answer = new CompletableFuture<>();
    answer.whenComplete(
        (decision, failure) -> {
          if (failure != null) { // the caller cancelled the future, or completed it
            asked.thenAccept(QueuedReservation::cancel);
          }
        });
    asked.whenComplete(
        (reservation, failure) -> {
          if (failure != null) {
            answer.completeExceptionally(Failures.unwrap(failure));
          } else if (!reservation.decision().allowed()) {
            if (refusalFails) {
              answer.completeExceptionally(new RateLimitedException(name, reservation.decision()));
            } else {
              answer.complete(reservation.decision());
            }
          } else {
            CompletableFuture<Decision> turn = reservation.turn();
            turn.whenCompleteAsync(
                (decision, over) -> {
                  if (over == null) {
                    answer.complete(decision);
                  } else {
                    answer.completeExceptionally(over);
                  }
                },
                turn.isDone() ? Runnable::run : completer);
          }
        });
    return answer;
  }

  private CompletableFuture<QueuedReservation> makeReservation(
      LimitPolicy.Tiers tiers, String key, long cost, Duration wait, boolean movable) {
    if (wait.isNegative()) {
      throw new IllegalArgumentException("wait must not be negative: " + wait);
    }
    hotKeys.count(key);
    long micros =
        wait.compareTo(DecisionMapper.micros(LimitPolicy.MAX_WAIT_MICROS)) >= 0
            ? LimitPolicy.MAX_WAIT_MICROS
            : wait.toNanos() / 1000;
    if (tiers.isQueue()) {
      return enter(key, cost, tiers, micros, movable);
    }
    LimitRequest request = calls.request(LimitRequest.Verb.TAKE, key, tiers, cost, 1, micros, 0);
    return calls.bounded.call(
        () -> store.backend.decide(request),
        (reply, failure) ->
            reply == null
                ? makeReservation(calls.fallBack(request, tiers, orNoAnswer(failure)))
                : new QueuedReservation(
                    calls, reservations, calls.decided(tiers, reply), reply.delay()));
  }

  /** A time that was promised without the store. */
  private QueuedReservation makeReservation(LimitCalls.Fallback fallback) {
    return new QueuedReservation(calls, reservations, fallback.decision(), fallback.delayMicros());
  }

  private QueueRequest ticket(String key, long cost, LimitPolicy.Tiers tiers, long maxWait) {
    return new QueueRequest(
        name,
        key,
        store.clientId,
        store.nextTicket(),
        cost,
        tiers.intervalMicros,
        tiers.places,
        maxWait);
  }

  private CompletableFuture<QueuedReservation> enter(
      String key, long cost, LimitPolicy.Tiers tiers, long maxWait, boolean movable) {
    QueueRequest request = ticket(key, cost, tiers, maxWait);
    // for a caller whom the store may have moved to a time that it did not tell
    QueuedReservation reservation =
        new QueuedReservation(
            calls,
            reservations,
            request,
            (sent, failure) -> makeReservation(calls.fallBack(sent, tiers, failure)));
    CompletableFuture<Void> ready =
        movable && maxWait > 0
            ? calls.bounded.call(() -> reservations.expect(reservation))
            : CompletableFuture.completedFuture(null);
    return ready
        .exceptionally(failure -> null) // without messages a reservation does not move up; no more
        .thenCompose(ok -> enter(request, reservation, tiers));
  }

  private CompletableFuture<QueuedReservation> enter(
      QueueRequest request, QueuedReservation reservation, LimitPolicy.Tiers tiers) {
    return calls.bounded.call(
        () -> store.backend.enter(request),
        (reply, failure) -> {
          if (reply != null) {
            reservation.entered(calls.queued(tiers, reply), reply.delay());
            return reservation;
          }
          reservation.cancel(); // the store may have let us in
          return makeReservation(calls.fallBack(request, tiers, orNoAnswer(failure)));
        });
  }

  private CompletableFuture<Decision> lookAtQueue(String key, long cost, LimitPolicy.Tiers tiers) {
    QueueRequest request = ticket(key, 0, tiers, 0);
    return calls.bounded.call(
        () -> store.backend.enter(request),
        (reply, failure) -> {
          if (reply == null) {
            return calls.fallBack(request, tiers, orNoAnswer(failure)).decision();
          }
          boolean passes = cost == 0 || reply.drain() == 0;
          return DecisionMapper.queued(
              tiers,
              new QueueReply(
                  passes, reply.drain(), reply.waiting(), reply.drain(), reply.clockSteps()),
              Decision.Source.STORE);
        });
  }

  // ---- uses that are settled later ----

  private CompletableFuture<Usage> use(String key, long estimate) {
    LimitPolicy.Tiers tiers = check(key, estimate, 1);
    uses.checkSettles(tiers);
    hotKeys.count(key);
    return uses.begin(key, tiers, estimate);
  }

  private CompletableFuture<Settlement> end(
      String key, String usageId, long actual, boolean unused) {
    LimitPolicy.Tiers tiers = check(key, 0, 0);
    uses.checkSettles(tiers);
    return uses.settle(key, tiers, usageId, actual, unused);
  }

  private Usage allowed(Usage usage) {
    if (!usage.decision().allowed()) {
      throw new RateLimitedException(name, usage.decision());
    }
    return usage;
  }

  // ---- changes that must reach the store ----

  private CompletableFuture<Void> giveBack(String key, long cost) {
    LimitPolicy.Tiers tiers = check(key, cost, 1);
    if (tiers.isQueue()) {
      return CompletableFuture.completedFuture(null); // what was granted has drained
    }
    keys.forgetLocal(key);
    LimitRequest request = calls.request(LimitRequest.Verb.GIVE_BACK, key, tiers, cost, 1, 0, 0);
    return calls
        .bounded
        .call(() -> store.backend.decide(request))
        .thenAccept(reply -> keys.forgetRefusal(key)); // the store may have refused meanwhile
  }

  private CompletableFuture<Void> forget(String key) {
    LimitPolicy.Tiers tiers = check(key, 0, 0);
    keys.forgetLocal(key);
    return calls
        .bounded
        .call(() -> store.backend.forget(name, key, tiers.rules))
        .thenAccept(done -> keys.forgetRefusal(key));
  }

  /** The asynchronous view of this limiter. */
  private final class AsyncView implements AsyncRateLimiter {
    @Override
    public CompletionStage<Decision> tryAcquire(String key, long cost) {
      return take(key, cost);
    }

    @Override
    public CompletionStage<Decision> peek(String key, long cost) {
      return look(key, cost);
    }

    @Override
    public CompletionStage<Decision> tryAcquire(String key, long cost, Duration wait) {
      return waitFor(key, cost, wait, false, store.callbacks);
    }

    @Override
    public CompletionStage<Decision> acquire(String key, long cost, Duration wait) {
      return waitFor(key, cost, wait, true, store.callbacks);
    }

    @Override
    public CompletionStage<Reservation> reserve(String key, long cost, Duration maxWait) {
      return makeReservation(check(key, cost, 1), key, cost, maxWait, false)
          .thenApply(reservation -> reservation);
    }

    @Override
    public CompletionStage<Usage> tryBegin(String key, long estimate) {
      return use(key, estimate);
    }

    @Override
    public CompletionStage<Usage> begin(String key, long estimate) {
      return use(key, estimate).thenApply(ClientLimiter.this::allowed);
    }

    @Override
    public CompletionStage<Settlement> settle(String key, String usageId, long actual) {
      return end(key, usageId, actual, false);
    }

    @Override
    public CompletionStage<Settlement> refund(String key, String usageId) {
      return end(key, usageId, 0, true);
    }

    @Override
    public CompletionStage<Void> refund(String key, long cost) {
      return giveBack(key, cost);
    }

    @Override
    public CompletionStage<Void> reset(String key) {
      return forget(key);
    }
  }
}
