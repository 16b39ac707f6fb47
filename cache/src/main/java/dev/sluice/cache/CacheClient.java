package dev.sluice.cache;

import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.TimerQueue;
import dev.sluice.internal.limit.LimitEngine;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.Ticker;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Shared parts of the caches of one client: the backend, one timer, one inbox. Thread-safe. */
final class CacheClient implements AutoCloseable {

  /** Any time of this century: a store treats earlier values as foreign data. */
  private static final long LOCAL_EPOCH_MICROS = 2_000_000_000_000_000L;

  final CacheBackend backend;
  final String id;
  final Ticker ticker;
  final Executor callbacks;
  final TimerQueue timers;

  /** Limits of this process alone, for loads while the store is unreachable. */
  private final LimitEngine local;

  private final Consumer<CacheKey> wake;
  private final AtomicLong attempts = new AtomicLong();
  // guarded by this
  private @Nullable CompletableFuture<Void> listening;
  private volatile boolean closed;

  /**
   * The parts of one client.
   *
   * @param wake told when a key may be loaded, or was
   */
  CacheClient(ClientParts parts, Consumer<CacheKey> wake) {
    this.backend = parts.backend().caches();
    this.id = parts.clientId();
    this.ticker = parts.ticker();
    this.callbacks = parts.callbacks();
    this.timers = new TimerQueue(ticker, parts.scheduler());
    this.wake = wake;
    long start = ticker.nanos();
    MemoryBackend memory =
        new MemoryBackend(() -> LOCAL_EPOCH_MICROS + (ticker.nanos() - start) / 1000);
    this.local = new LimitEngine(new ClientParts(memory, id, ticker, parts.scheduler(), callbacks));
  }

  RateLimiter localLimit(String name, Limit limit) {
    return local.limiter(name, RateLimiterOptions.of(limit));
  }

  long nextAttempt() {
    return attempts.incrementAndGet();
  }

  /** Returns whether messages arrive; starts the subscription otherwise. */
  synchronized boolean listens() {
    CompletableFuture<Void> known = listening;
    if (known == null || known.isCompletedExceptionally()) {
      try {
        known = backend.listenForLoads(id, wake).toCompletableFuture().copy();
      } catch (RuntimeException e) {
        known = CompletableFuture.failedFuture(e);
      }
      listening = known;
    }
    return known.isDone() && !known.isCompletedExceptionally();
  }

  boolean isClosed() {
    return closed;
  }

  void checkOpen() {
    if (closed) {
      throw Failures.closed();
    }
  }

  /** Refuses further calls; {@link #close} ends those under way. */
  void stop() {
    closed = true;
  }

  @Override
  public void close() {
    stop();
    synchronized (this) {
      if (listening != null) {
        backend.unlistenForLoads(id);
      }
    }
    local.close();
    timers.close();
  }
}
