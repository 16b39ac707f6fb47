package dev.sluice.internal.lock;

import static java.util.Objects.requireNonNull;

import dev.sluice.internal.call.Durations;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.TimerQueue;
import dev.sluice.lock.LockOptions;
import dev.sluice.spi.GrantAttempt;
import dev.sluice.spi.GrantBackend;
import dev.sluice.spi.GrantReply;
import dev.sluice.spi.GrantRequest;
import dev.sluice.spi.LockMessage;
import dev.sluice.spi.RenewReply;
import dev.sluice.spi.Scheduler;
import dev.sluice.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The store as one client uses it: its operations in nanoseconds and with the client's id, the
 * clock and the timer, and the attempts to end there.
 *
 * <p>Safe for use by many threads.
 */
final class GrantStore {
  private static final System.Logger LOG = System.getLogger("dev.sluice.lock");
  private static final long UNDO_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The highest attempt to end at the store, which did not answer yet. */
  private record Undo(GrantAttempt attempt, long until, int tries) {}

  final String clientId;
  final Ticker ticker;
  final Scheduler scheduler;
  final Executor callbacks;
  final LeaseRules rules;
  final TimerQueue timers;
  final Attempts attempts;
  final GrantBackend backend;

  private final String describe;
  private final Duration maxTtl;
  private final RandomGenerator random;
  private final Consumer<LockMessage> onMessage;
  private final AtomicLong lastAttempt = new AtomicLong();
  private final ConcurrentHashMap<String, Undo> undos = new ConcurrentHashMap<>();
  private final Set<CompletableFuture<?>> ending = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean listening = new AtomicBoolean();
  private final AtomicLong lastWarning = new AtomicLong();
  private volatile boolean closed;

  GrantStore(
      GrantBackend backend, Attempts attempts, GrantParts parts, Consumer<LockMessage> onMessage) {
    this.backend = backend;
    this.attempts = attempts;
    this.onMessage = onMessage;
    this.describe = parts.describe();
    this.clientId = parts.clientId();
    this.ticker = parts.ticker();
    this.scheduler = parts.scheduler();
    this.random = parts.random();
    this.callbacks = parts.callbacks();
    this.rules = parts.rules();
    this.maxTtl = parts.maxTtl();
    this.timers = new TimerQueue(ticker, scheduler);
    this.lastWarning.set(ticker.nanos() - TimeUnit.SECONDS.toNanos(2));
  }

  String describe() {
    return describe;
  }

  long nextAttempt() {
    return lastAttempt.incrementAndGet();
  }

  long jitter(long boundNanos) {
    return random.nextLong(Math.max(1, boundNanos));
  }

  long checkTtl(Duration ttl) {
    requireNonNull(ttl, "ttl must not be null");
    if (ttl.compareTo(LockOptions.MIN_TTL) < 0 || ttl.compareTo(maxTtl) > 0) {
      throw new IllegalArgumentException(
          "ttl must be 10ms to " + Durations.shortly(maxTtl) + ": " + ttl);
    }
    return ttl.toNanos();
  }

  long checkDelay(Duration delay) {
    if (delay.compareTo(maxTtl) > 0) {
      throw new IllegalArgumentException(
          "delay must be at most " + Durations.shortly(maxTtl) + ": " + delay);
    }
    return delay.toNanos();
  }

  void checkOpen() {
    if (closed) {
      throw Failures.closed();
    }
  }

  // ---- verbs ----

  GrantRequest request(
      String name,
      long attempt,
      long ttlNanos,
      UnitRequest unitRequest,
      int units,
      int block,
      boolean queue) {
    return new GrantRequest(
        name,
        clientId,
        attempt,
        micros(ttlNanos),
        unitRequest.capacity(),
        unitRequest.least(),
        units,
        unitRequest.first(),
        block,
        queue);
  }

  CompletionStage<GrantReply> acquire(GrantRequest request) {
    listenOnce();
    return Failures.call(() -> backend.acquire(request));
  }

  private void listenOnce() {
    if (!listening.get() && !listening.getAndSet(true)) {
      Failures.call(() -> backend.listen(clientId, onMessage))
          .whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  listening.set(false); // the next acquire tries again
                }
              });
    }
  }

  boolean mayGrantShorterThanTtl() {
    return backend.mayGrantShorterThanTtl();
  }

  CompletionStage<RenewReply> renew(GrantAttempt attempt, long ttlNanos) {
    return Failures.call(() -> backend.renew(attempt, micros(ttlNanos)));
  }

  CompletionStage<Boolean> shrink(GrantAttempt attempt, int keep) {
    return Failures.call(() -> backend.release(attempt, keep));
  }

  CompletionStage<Boolean> releaseAfter(GrantAttempt attempt, long delayNanos) {
    Optional<GrantBackend.Delay> delay = backend.delay();
    if (delay.isEmpty()) {
      return CompletableFuture.failedFuture(
          new UnsupportedOperationException("this store cannot release a lock after a delay"));
    }
    long delayMicros = Math.max(1, micros(delayNanos));
    return Failures.call(() -> delay.get().releaseAfter(attempt, delayMicros));
  }

  private static long micros(long nanos) {
    return TimeUnit.NANOSECONDS.toMicros(nanos);
  }

  // ---- ends of attempts ----

  /**
   * Ends an attempt; if the store does not answer, retries in the background until the possible
   * grant has expired.
   */
  CompletableFuture<Boolean> release(GrantAttempt attempt, long ttlNanos, Effects effects) {
    CompletableFuture<Boolean> freed = new CompletableFuture<>();
    effects.add(
        () ->
            Failures.then(
                sendRelease(attempt),
                (done, failure) -> {
                  if (failure == null) {
                    freed.complete(done);
                  } else {
                    freed.completeExceptionally(Failures.unwrap(failure));
                    undoLater(attempt, ttlNanos, failure);
                  }
                }));
    return freed;
  }

  /** Ends an attempt that may have taken the lock without a reply. */
  void undo(GrantAttempt attempt, long ttlNanos, Effects effects) {
    finishBeforeClose(release(attempt, ttlNanos, effects));
  }

  /** The close of this client waits for it, because no caller does. */
  void finishBeforeClose(CompletableFuture<Boolean> release) {
    ending.add(release);
    release.whenComplete((done, failure) -> ending.remove(release));
  }

  private CompletionStage<Boolean> sendRelease(GrantAttempt attempt) {
    return Failures.call(() -> backend.release(attempt, 0));
  }

  private void undoLater(GrantAttempt attempt, long ttlNanos, Throwable failure) {
    if (closed || !Failures.isPassing(Failures.unwrap(failure))) {
      return;
    }
    long until = ticker.nanos() + ttlNanos + TimeUnit.SECONDS.toNanos(1);
    String key = attempts.undoKey(attempt);
    undos.compute(
        key,
        (n, pending) -> {
          if (pending != null) { // to end an attempt ends the earlier ones too
            long later = until - pending.until > 0 ? until : pending.until;
            GrantAttempt last = pending.attempt;
            return new Undo(
                attempt.attempt() > last.attempt() ? attempt : last, later, pending.tries);
          }
          planUndo(key, 0);
          return new Undo(attempt, until, 0);
        });
  }

  private void planUndo(String key, int tries) {
    long delay = UNDO_RETRY_NANOS << Math.min(tries, 5);
    timers.in(delay + jitter(delay), () -> undoNow(key));
  }

  private void undoNow(String key) {
    Undo pending = undos.get(key);
    if (pending == null) {
      return;
    }
    sendRelease(pending.attempt)
        .whenComplete(
            (done, failure) ->
                undos.computeIfPresent(
                    key,
                    (n, now) -> {
                      boolean over =
                          failure == null && now.attempt.attempt() == pending.attempt.attempt();
                      boolean hopeless =
                          failure != null && !Failures.isPassing(Failures.unwrap(failure));
                      if (over || hopeless || closed || ticker.nanos() - now.until > 0) {
                        return null;
                      }
                      planUndo(key, now.tries + 1);
                      return new Undo(now.attempt, now.until, now.tries + 1);
                    }));
  }

  // ---- end ----

  boolean isClosed() {
    return closed;
  }

  /** Ends all requests and retries. */
  void beginClose() {
    closed = true;
  }

  /** {@return all releases without an answer; each is sent a last time} */
  List<CompletableFuture<?>> lastReleases() {
    List<CompletableFuture<?>> releases = new ArrayList<>(ending);
    undos.forEach( // the last chance to end what may have been granted
        (key, pending) -> releases.add(sendRelease(pending.attempt).toCompletableFuture()));
    return releases;
  }

  void endClose() {
    timers.close();
    backend.unlisten(clientId);
  }

  // ---- log ----

  /** Logs at most one line a second, however many leases fail to renew. */
  void warn(String name, String what, @Nullable Throwable failure) {
    long now = ticker.nanos();
    long last = lastWarning.get();
    if (now - last >= TimeUnit.SECONDS.toNanos(1) && lastWarning.compareAndSet(last, now)) {
      String why = failure == null ? "no answer" : failure.getMessage();
      warn(() -> attempts.what(name) + ": " + what + ": " + why);
    }
  }

  /** An executor for logging: a slow log delays no caller's lock. */
  void warn(Supplier<String> text) {
    try {
      callbacks.execute(() -> LOG.log(System.Logger.Level.WARNING, text));
    } catch (RejectedExecutionException e) {
      LOG.log(System.Logger.Level.WARNING, text);
    }
  }
}
