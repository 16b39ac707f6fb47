package dev.sluice.cache;

import dev.sluice.internal.call.BoundedCalls;
import dev.sluice.limit.RateLimiter;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheLog;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheValue;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The store, as one cache uses it: each call ends at the deadline of the cache, and every change of
 * a value is published to the processes with copies. Safe for use by many threads.
 */
final class CacheStore {
  private static final System.Logger LOG = System.getLogger("dev.sluice.cache");
  private static final long LOG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  final CacheClient client;
  final Counters counters = new Counters();
  private final CacheSettings<?, ?> settings;
  private final CacheBackend backend;
  private final BoundedCalls calls;
  private final RateLimiter fallback;
  private final AtomicLong nextLog;

  CacheStore(CacheClient client, CacheSettings<?, ?> settings) {
    this.client = client;
    this.settings = settings;
    this.backend = client.backend;
    this.calls =
        new BoundedCalls(client.ticker, client.timers, client.callbacks, settings.deadline);
    this.fallback = client.localLimit(settings.name, settings.fallback);
    this.nextLog = new AtomicLong(client.ticker.nanos());
  }

  CacheKey at(String text) {
    return new CacheKey(settings.name, text);
  }

  /** A call that the deadline of the cache also bounds. */
  <T extends @Nullable Object> CompletableFuture<T> call(Supplier<CompletionStage<T>> call) {
    return calls.call(call);
  }

  // ---- values ----

  CompletableFuture<@Nullable CacheEntry> read(CacheKey at) {
    return calls.call(() -> backend.read(at));
  }

  CompletableFuture<CacheReply> begin(CacheKey at, long attempt, CacheRequest.Aim aim) {
    CacheRequest request = new CacheRequest(at, client.id, attempt, settings.leaseMicros, aim);
    return calls.call(() -> backend.begin(request));
  }

  CompletableFuture<Boolean> keep(CacheKey at, long attempt) {
    return calls.call(() -> backend.keep(at, client.id, attempt, settings.leaseMicros));
  }

  CompletableFuture<Boolean> fill(CacheKey at, long attempt, CacheValue value) {
    return calls.call(() -> backend.fill(at, client.id, attempt, value));
  }

  void abandon(CacheKey at, long attempt) {
    calls.call(() -> backend.abandon(at, client.id, attempt));
  }

  CompletableFuture<Boolean> intend(CacheKey at, long attempt) {
    return calls.call(() -> backend.intend(at, client.id, attempt, settings.intentMicros));
  }

  CompletableFuture<Void> put(CacheKey at, CacheValue value) {
    return calls.call(() -> backend.put(at, value)).thenCompose(done -> logged(at.key(), done));
  }

  /** One attempt to drop a value everywhere; 0 if no write was announced. */
  CompletableFuture<Void> drop(CacheKey at, long attempt) {
    return calls
        .call(() -> backend.invalidate(at, client.id, attempt))
        .thenCompose(done -> logged(at.key(), done));
  }

  /** Runs without a deadline, because it walks through the store. */
  CompletableFuture<Void> clear() {
    return backend
        .clear(settings.name)
        .toCompletableFuture()
        .thenCompose(done -> logged(CacheLog.ALL, done));
  }

  // ---- tags ----

  /** The version of the tags of a stored value; 0 without tags. */
  CompletableFuture<Long> tagVersion() {
    return settings.tagged
        ? calls.call(() -> backend.tagVersion(settings.name))
        : CompletableFuture.completedFuture(0L);
  }

  /** Returns whether a tag was invalidated after a version. */
  CompletableFuture<Boolean> isDropped(List<String> tags, long version) {
    return calls
        .call(() -> backend.invalidatedAt(settings.name, tags))
        .thenApply(last -> last > version);
  }

  CompletableFuture<Void> dropTag(String tag) {
    return calls
        .call(() -> backend.invalidateTag(settings.name, tag, settings.longestMicros()))
        .thenCompose(done -> logged(CacheLog.ALL, done));
  }

  // ---- copies in other processes ----

  /**
   * Notifies the processes with copies, after the store has dropped the value. A process that was
   * notified earlier could read and keep the old value again.
   */
  <T> CompletableFuture<T> logged(String text, T done) {
    return settings.strong
        ? CompletableFuture.completedFuture(done) // no process keeps copies
        : append(text).thenApply(position -> done);
  }

  CompletableFuture<String> append(String text) {
    return calls.call(() -> backend.append(settings.name, text));
  }

  CompletableFuture<CacheLog> log(String after) {
    return calls.call(() -> backend.log(settings.name, after));
  }

  // ---- while the store is away ----

  /** Returns whether a load may read the database although the store is unreachable. */
  boolean mayFallBack(CacheKey at, Throwable away) {
    warn(at + " is loaded without the store", away);
    boolean may = fallback.tryAcquire(settings.name).allowed();
    (may ? counters.fallbackLoads : counters.fallbackRejections).increment();
    return may;
  }

  /** Logs at most once a second. */
  void warn(String what, Throwable why) {
    long now = client.ticker.nanos();
    long due = nextLog.get();
    if (now - due >= 0 && nextLog.compareAndSet(due, now + LOG_PAUSE_NANOS)) {
      LOG.log(System.Logger.Level.WARNING, "{0}, because {1}", what, String.valueOf(why));
    }
  }

  void close() {
    calls.close();
  }
}
