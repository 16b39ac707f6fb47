package dev.sluice.internal.limit;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.StoreLine;
import dev.sluice.limit.AsyncRateLimiter;
import dev.sluice.limit.Decision;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.limit.RateLimiterStats;
import dev.sluice.limit.Reservation;
import dev.sluice.spi.LimitReply;
import dev.sluice.spi.LimitRequest;
import dev.sluice.spi.Names;
import dev.sluice.spi.QueueReply;
import dev.sluice.spi.QueueRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;

/** A limiter as callers see it: the blocking and the asynchronous form over the same decisions. */
final class ClientLimiter implements RateLimiter {
  final LimitEngine engine;
  final StoreLine line;
  private final String name;
  private final ConcurrentHashMap<String, KeyCell> cells = new ConcurrentHashMap<>();
  private final Tally tally = new Tally();
  private final HotKeys hotKeys;
  private volatile LimitPlan plan;

  ClientLimiter(LimitEngine engine, String name, RateLimiterOptions options) {
    this.engine = engine;
    this.name = name;
    this.hotKeys = new HotKeys(engine.ticker);
    this.plan = new LimitPlan(what(), options, engine.ticker, null);
    this.line =
        new StoreLine(
            engine.ticker,
            engine.agenda,
            engine.callbacks,
            options.deadline(),
            engine.backend::hasAnswered);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public RateLimiterOptions options() {
    return plan.options;
  }

  @Override
  public void update(RateLimiterOptions options) {
    requireNonNull(options, "options must not be null");
    synchronized (this) {
      int present = plan.options.version();
      if (options.version() < present) {
        throw new IllegalArgumentException(
            "version must not go back: " + options.version() + " after " + present);
      }
      plan = new LimitPlan(what(), options, engine.ticker, plan);
      line.deadline(options.deadline());
    }
    new ArrayList<>(cells.values()).forEach(KeyCell::forgetLocal);
  }

  @Override
  public RateLimiterStats stats() {
    return tally.stats(line.trips());
  }

  @Override
  public Map<String, Long> busiestKeys() {
    return hotKeys.take();
  }

  boolean isLocal() {
    return plan.options.leasing();
  }

  long slackMicros(String key) {
    return plan.of(key).slackMicros;
  }

  void drop(String key, KeyCell cell) {
    cells.remove(key, cell);
  }

  void close() {
    new ArrayList<>(cells.values()).forEach(KeyCell::close);
    line.close();
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
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    CompletableFuture<Decision> turn = waitFor(key, cost, wait, Runnable::run);
    try {
      return turn.get();
    } catch (InterruptedException e) {
      turn.cancel(false);
      throw e;
    } catch (ExecutionException e) {
      throw Failures.forCaller(what(), e);
    }
  }

  @Override
  public Reservation reserve(String key, long cost, Duration maxWait) {
    return await(place(check(key, cost, 1), key, cost, maxWait, false));
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
    return Failures.await(stage, what());
  }

  private String what() {
    return "rate limiter " + Names.quoted(name);
  }

  // ---- decisions ----

  private LimitPlan.Tiers check(String key, long cost, long least) {
    engine.checkOpen();
    Names.check(key);
    LimitPlan.Tiers tiers = plan.of(key);
    if (cost < least) {
      throw new IllegalArgumentException("cost must be >= " + least + ": " + cost);
    }
    long most = tiers.isQueue() ? Math.max(1, tiers.places) : tiers.capacity;
    if (cost > most) {
      throw new IllegalArgumentException(
          "cost must be <= " + most + ", what " + what() + " ever lets pass at once: " + cost);
    }
    return tiers;
  }

  LimitRequest request(
      LimitRequest.Verb verb,
      String key,
      LimitPlan.Tiers tiers,
      long cost,
      int times,
      long maxWaitMicros,
      long takenAtMicros) {
    return new LimitRequest(
        verb, name, key, tiers.rules, cost, times, maxWaitMicros, takenAtMicros);
  }

  private CompletableFuture<Decision> take(String key, long cost) {
    LimitPlan.Tiers tiers = check(key, cost, 0);
    if (tiers.isQueue()) {
      return place(tiers, key, cost, Duration.ZERO, false).thenApply(Place::decision);
    }
    hotKeys.count(key);
    if (cost == 0) {
      return once(LimitRequest.Verb.TAKE, key, tiers, 0);
    }
    if (plan.options.leasing()) {
      KeyCell known = cells.get(key);
      Decision answer = known == null ? null : known.local(tiers, cost);
      if (answer != null) {
        return CompletableFuture.completedFuture(answer);
      }
    }
    KeyCell.Ask ask = new KeyCell.Ask(tiers, cost);
    while (true) {
      KeyCell cell = cells.computeIfAbsent(key, k -> new KeyCell(this, k));
      if (cell.ask(ask)) {
        return ask;
      }
      drop(key, cell); // it died in this moment: nobody waits for the thread that drops it
    }
  }

  private CompletableFuture<Decision> look(String key, long cost) {
    LimitPlan.Tiers tiers = check(key, cost, 0);
    return tiers.isQueue()
        ? lookAtQueue(key, cost, tiers)
        : once(LimitRequest.Verb.PEEK, key, tiers, cost);
  }

  /** A request of its own, which waits for no other. */
  private CompletableFuture<Decision> once(
      LimitRequest.Verb verb, String key, LimitPlan.Tiers tiers, long cost) {
    LimitRequest request = request(verb, key, tiers, cost, 1, 0, 0);
    return line.call(() -> engine.backend.decide(request))
        .handle(
            (reply, failure) ->
                reply == null
                    ? fallBackTo(request, tiers, failure).decision()
                    : Answers.of(tiers, reply, Decision.Source.STORE));
  }

  Decision allowed(LimitReply reply, long remaining, Decision.Source source) {
    return tally.count(Answers.passed(reply, remaining, source), reply.clockSteps());
  }

  Decision refused(
      LimitPlan.Tiers tiers, LimitReply reply, long retryNanos, Decision.Source source) {
    return tally.count(Answers.refused(tiers, reply, retryNanos, source), reply.clockSteps());
  }

  // ---- places ----

  /**
   * Takes a place and completes when its time has come.
   *
   * @param completer runs what follows a wait: not the timer, if that may block
   */
  private CompletableFuture<Decision> waitFor(
      String key, long cost, Duration wait, Executor completer) {
    CompletableFuture<Place> asked = place(check(key, cost, 1), key, cost, wait, true);
    CompletableFuture<Decision> answer = new CompletableFuture<>();
    answer.whenComplete(
        (decision, failure) -> {
          if (failure != null) { // the caller has cancelled it, or given it a bound of its own
            asked.thenAccept(Place::cancel);
          }
        });
    asked.whenComplete(
        (place, failure) -> {
          if (failure != null) {
            answer.completeExceptionally(Failures.unwrap(failure));
          } else if (!place.decision().allowed()) {
            answer.complete(place.decision());
          } else {
            CompletableFuture<Decision> turn = place.turn();
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

  private CompletableFuture<Place> place(
      LimitPlan.Tiers tiers, String key, long cost, Duration wait, boolean movable) {
    if (wait.isNegative()) {
      throw new IllegalArgumentException("wait must not be negative: " + wait);
    }
    hotKeys.count(key);
    long micros =
        wait.compareTo(Answers.micros(LimitPlan.MAX_WAIT_MICROS)) >= 0
            ? LimitPlan.MAX_WAIT_MICROS
            : wait.toNanos() / 1000;
    if (tiers.isQueue()) {
      return enter(key, cost, tiers, micros, movable);
    }
    LimitRequest request = request(LimitRequest.Verb.TAKE, key, tiers, cost, 1, micros, 0);
    return line.call(() -> engine.backend.decide(request))
        .handle(
            (reply, failure) ->
                reply == null
                    ? fallBackTo(request, tiers, failure)
                    : promise(
                        tally.count(
                            Answers.of(tiers, reply, Decision.Source.STORE), reply.clockSteps()),
                        reply.delay()));
  }

  /** A time that was promised once and for all. */
  private Place promise(Decision decision, long waitMicros) {
    return new Place(engine, line, decision, waitMicros);
  }

  private QueueRequest ticket(String key, long cost, LimitPlan.Tiers tiers, long maxWait) {
    return new QueueRequest(
        name,
        key,
        engine.clientId,
        engine.nextTicket(),
        cost,
        tiers.intervalMicros,
        tiers.places,
        maxWait);
  }

  private CompletableFuture<Place> enter(
      String key, long cost, LimitPlan.Tiers tiers, long maxWait, boolean movable) {
    QueueRequest request = ticket(key, cost, tiers, maxWait);
    Place place = new Place(engine, line, request, this::storeAway);
    CompletableFuture<Void> ready =
        movable && maxWait > 0
            ? line.call(() -> engine.expect(place))
            : CompletableFuture.completedFuture(null);
    return ready
        .exceptionally(failure -> null) // without messages a place does not move up; no more
        .thenCompose(ok -> line.call(() -> engine.backend.enter(request)))
        .handle(
            (reply, failure) -> {
              if (reply != null) {
                place.entered(
                    tally.count(
                        Answers.queued(tiers, reply, Decision.Source.STORE), reply.clockSteps()),
                    reply.delay());
                return place;
              }
              place.cancel(); // the store may have let us in
              return fallBackTo(request, tiers, failure);
            });
  }

  private CompletableFuture<Decision> lookAtQueue(String key, long cost, LimitPlan.Tiers tiers) {
    QueueRequest request = ticket(key, 0, tiers, 0);
    return line.call(() -> engine.backend.enter(request))
        .handle(
            (reply, failure) -> {
              if (reply == null) {
                return fallBackTo(request, tiers, failure).decision();
              }
              boolean passes = cost == 0 || reply.drain() == 0;
              return Answers.queued(
                  tiers,
                  new QueueReply(
                      passes, reply.drain(), reply.waiting(), reply.drain(), reply.clockSteps()),
                  Decision.Source.STORE);
            });
  }

  // ---- changes that must reach the store ----

  private CompletableFuture<Void> giveBack(String key, long cost) {
    LimitPlan.Tiers tiers = check(key, cost, 1);
    if (tiers.isQueue()) {
      throw new UnsupportedOperationException(
          "a leaky queue has nothing to refund: cancel instead");
    }
    forgetLocal(key);
    LimitRequest request = request(LimitRequest.Verb.GIVE_BACK, key, tiers, cost, 1, 0, 0);
    return line.call(() -> engine.backend.decide(request)).thenAccept(reply -> forgetRefusal(key));
  }

  private CompletableFuture<Void> forget(String key) {
    LimitPlan.Tiers tiers = check(key, 0, 0);
    forgetLocal(key);
    return line.call(() -> engine.backend.forget(name, key, tiers.rules))
        .thenAccept(done -> forgetRefusal(key));
  }

  /** Once more: the store may have refused somebody in the meantime. */
  private void forgetRefusal(String key) {
    KeyCell known = cells.get(key);
    if (known != null) {
      known.forgetRefusal();
    }
  }

  private void forgetLocal(String key) {
    KeyCell known = cells.get(key);
    if (known != null) {
      known.forgetLocal();
    }
  }

  // ---- while the store is away ----

  void fallBack(KeyCell.Ask ask, String key, Throwable failure) {
    try {
      LimitRequest request = request(LimitRequest.Verb.TAKE, key, ask.tiers, ask.cost, 1, 0, 0);
      ask.complete(fallBackTo(request, ask.tiers, failure).decision());
    } catch (RuntimeException e) {
      ask.completeExceptionally(e);
    }
  }

  /** What the outage policy says, unless the failure is one that the caller must see. */
  private Place fallBackTo(LimitRequest request, LimitPlan.Tiers tiers, Throwable failure) {
    LimitReply reply = plan.storeAway.decide(request, tiers, Failures.unwrap(failure));
    return promise(
        tally.count(Answers.of(tiers, reply, Decision.Source.FALLBACK), 0), reply.delay());
  }

  private Place fallBackTo(QueueRequest request, LimitPlan.Tiers tiers, Throwable failure) {
    QueueReply reply = plan.storeAway.enter(request, Failures.unwrap(failure));
    return promise(
        tally.count(Answers.queued(tiers, reply, Decision.Source.FALLBACK), 0), reply.delay());
  }

  /** For a caller whom the store may have moved to a time that it did not tell. */
  private Place storeAway(QueueRequest request, Throwable failure) {
    return fallBackTo(request, plan.of(request.key()), failure);
  }

  /** The same decisions as stages. */
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
    public CompletionStage<Decision> acquire(String key, long cost, Duration wait) {
      return waitFor(key, cost, wait, engine.callbacks);
    }

    @Override
    public CompletionStage<Reservation> reserve(String key, long cost, Duration maxWait) {
      return place(check(key, cost, 1), key, cost, maxWait, false).thenApply(place -> place);
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
