package dev.sluice.cache;

import static java.util.Objects.requireNonNull;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.StoreLine;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheLog;
import dev.sluice.spi.CacheValue;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** How values of a cache are stored, dropped and announced to be written. Safe for many threads. */
final class CacheWrites<K, V> {
  private final ClientCache<K, V> cache;
  private final CacheEngine engine;
  private final CacheSettings<K, V> settings;
  private final StoreLine line;
  final PendingDrops pending;

  CacheWrites(ClientCache<K, V> cache) {
    this.cache = cache;
    this.engine = cache.engine;
    this.settings = cache.settings;
    this.line = cache.line;
    this.pending = new PendingDrops(cache);
  }

  /** Stores a value with a life of its own; null: as the settings say. */
  CompletableFuture<Void> store(K key, V value, @Nullable Duration ttl) {
    requireNonNull(value, "value must not be null: invalidate the key instead");
    engine.checkOpen();
    String text = settings.text(key);
    if (settings.strong) {
      return drop(text);
    }
    CompletableFuture<Long> version =
        settings.tagged
            ? line.call(() -> engine.backend.tagVersion(cache.name()))
            : CompletableFuture.completedFuture(0L);
    return version
        .thenCompose(
            tagVersion -> {
              CacheValue stored =
                  ttl == null
                      ? settings.value(key, value, tagVersion)
                      : settings.value(key, value, CacheSettings.micros(ttl), tagVersion);
              cache.forgetHere(text);
              return line.call(() -> engine.backend.put(cache.at(text), stored))
                  .thenCompose(done -> logged(text, done));
            })
        .handle((done, failure) -> settled(text, failure));
  }

  CompletableFuture<Void> drop(String text) {
    engine.checkOpen();
    cache.forgetHere(text);
    return dropAtStore(text, 0).handle((done, failure) -> settled(text, failure));
  }

  /** One attempt to drop a value everywhere; 0 for no announced write. */
  CompletableFuture<Void> dropAtStore(String text, long attempt) {
    return line.call(() -> engine.backend.invalidate(cache.at(text), engine.clientId, attempt))
        .thenCompose(done -> logged(text, done));
  }

  /**
   * Tells copies in other processes, once the store has dropped the value: whoever is told earlier
   * may read it, and keep it, once more.
   */
  private <T> CompletableFuture<T> logged(String text, T done) {
    return settings.strong
        ? CompletableFuture.completedFuture(done) // nobody keeps copies
        : line.call(() -> engine.backend.append(cache.name(), text)).thenApply(place -> done);
  }

  /** What is not confirmed is repeated until it is. */
  private @Nullable Void settled(String text, @Nullable Throwable failure) {
    if (failure == null) {
      cache.dropCopy(text); // what was kept meanwhile: this process reads what it wrote
      return null;
    }
    Throwable cause = Failures.unwrap(failure);
    if (!Failures.isPassing(cause)) {
      throw Failures.forCaller(cache.at(text).toString(), cause);
    }
    pending.add(text);
    cache.dropCopy(text);
    if (settings.strong) {
      throw Failures.forCaller(cache.at(text).toString(), cause);
    }
    cache.warn(cache.at(text) + " is not invalidated yet; it will be", cause);
    return null;
  }

  CompletableFuture<Void> dropTag(String tag) {
    return line.call(
            () -> engine.backend.invalidateTag(cache.name(), tag, settings.longestMicros()))
        .thenCompose(done -> logged(CacheLog.ALL, done))
        .whenComplete((done, failure) -> cache.forgetAllHere());
  }

  /** As long as it takes: it walks through the store. */
  CompletableFuture<Void> clear() {
    return engine
        .backend
        .clear(cache.name())
        .toCompletableFuture()
        .thenCompose(done -> logged(CacheLog.ALL, done))
        .whenComplete((done, failure) -> cache.forgetAllHere()); // and what was kept meanwhile
  }

  /** A write that may begin. */
  interface Write {
    /** Drops the value, and lets others load. */
    CompletableFuture<Void> end();
  }

  CompletableFuture<Write> announce(K key, CacheKey at) {
    engine.checkOpen();
    BloomFilter<? super K> existing = settings.existing;
    CompletableFuture<?> known =
        existing == null
            ? CompletableFuture.completedFuture(null)
            : line.call(() -> existing.async().add(key));
    return known
        .thenCompose(
            any ->
                settings.serial
                    ? Turn.take(settings.sluice, at, settings.leaseMicros)
                    : CompletableFuture.completedFuture(Turn.NONE))
        .thenCompose(turn -> intend(at, turn));
  }

  private CompletableFuture<Write> intend(CacheKey at, Turn turn) {
    cache.forgetHere(at.key());
    WriteIntent intent = new WriteIntent(cache, at);
    return intent
        .announce()
        .thenCompose(stands -> logged(at.key(), stands))
        .handle(
            (stands, failure) -> {
              Throwable cause = failure == null ? null : Failures.unwrap(failure);
              if (cause != null && (settings.strong || !Failures.isPassing(cause))) {
                intent.end();
                turn.end();
                throw Failures.forCaller(at + " was not written", cause);
              }
              return () -> end(at.key(), intent).whenComplete((done, f) -> turn.end());
            });
  }

  private CompletableFuture<Void> end(String text, WriteIntent intent) {
    cache.forgetHere(text);
    return intent
        .end()
        .handle(
            (done, failure) ->
                failure != null && settings.strong
                    ? unended(text, intent, failure)
                    : CompletableFuture.completedFuture(settled(text, failure)))
        .thenCompose(ended -> ended);
  }

  /** The write is over all the same if nobody can have stored the old value. */
  private CompletableFuture<@Nullable Void> unended(
      String text, WriteIntent intent, Throwable failure) {
    pending.add(text);
    return intent
        .hasStood()
        .thenApply(
            stood -> {
              if (!stood) {
                throw new OutcomeUnknownException(
                    cache.at(text) + " was written, but an older value may still be served",
                    Failures.unwrap(failure));
              }
              return null;
            });
  }
}
