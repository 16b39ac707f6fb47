package dev.sluice.cache;

import static java.util.Objects.requireNonNull;

import dev.sluice.OutcomeUnknownException;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.internal.call.Failures;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheValue;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Stores and drops values of a cache, and announces writes. Safe for many threads. */
final class CacheWrites<K, V> {
  private final CacheStore store;
  private final CacheClient client;
  private final CacheSettings<K, V> settings;
  private final KeyLoads<K, V> loads;
  private final @Nullable NearTier<K, V> near;
  final PendingDrops pending;

  CacheWrites(KeyLoads<K, V> loads, @Nullable NearTier<K, V> near) {
    this.store = loads.store;
    this.client = store.client;
    this.settings = loads.settings;
    this.loads = loads;
    this.near = near;
    this.pending = new PendingDrops(store, this::clear);
  }

  /** Stores a value with a separate time to live; null for that of the settings. */
  CompletableFuture<Void> store(K key, V value, @Nullable Duration ttl) {
    requireNonNull(value, "value must not be null: invalidate the key instead");
    client.checkOpen();
    String text = settings.text(key);
    if (settings.strong) {
      return drop(text);
    }
    return store
        .tagVersion()
        .thenCompose(
            tagVersion -> {
              CacheValue stored =
                  ttl == null
                      ? settings.value(key, value, tagVersion)
                      : settings.value(key, value, CacheSettings.micros(ttl), tagVersion);
              forgetHere(text);
              return store.put(store.at(text), stored);
            })
        .handle((done, failure) -> settled(text, failure));
  }

  CompletableFuture<Void> drop(String text) {
    client.checkOpen();
    forgetHere(text);
    return store.drop(store.at(text), 0).handle((done, failure) -> settled(text, failure));
  }

  /** Repeats a drop until it is confirmed. */
  private @Nullable Void settled(String text, @Nullable Throwable failure) {
    if (failure == null) {
      dropCopy(text); // what was kept meanwhile: this process reads what it wrote
      return null;
    }
    Throwable cause = Failures.unwrap(failure);
    if (!Failures.isPassing(cause)) {
      throw Failures.forCaller(store.at(text).toString(), cause);
    }
    pending.add(text);
    dropCopy(text);
    if (settings.strong) {
      throw Failures.forCaller(store.at(text).toString(), cause);
    }
    store.warn(store.at(text) + " is not invalidated yet; it will be", cause);
    return null;
  }

  CompletableFuture<Void> dropTag(String tag) {
    return store.dropTag(tag).whenComplete((done, failure) -> forgetAllHere());
  }

  /** Runs without a deadline, because it walks through the store. */
  CompletableFuture<Void> clear() {
    forgetAllHere();
    return store
        .clear()
        .whenComplete((done, failure) -> forgetAllHere()); // and what was kept meanwhile
  }

  /** A write that may begin. */
  interface Write {
    /** Drops the value, and allows other loads. */
    CompletableFuture<Void> end();
  }

  CompletableFuture<Write> announce(K key, CacheKey at) {
    client.checkOpen();
    BloomFilter<? super K> existing = settings.existing;
    CompletableFuture<?> known =
        existing == null
            ? CompletableFuture.completedFuture(null)
            : store.call(() -> existing.async().add(key));
    return known
        .thenCompose(
            any ->
                settings.serial
                    ? Turn.take(settings.sluice, at, settings.leaseMicros)
                    : CompletableFuture.completedFuture(Turn.NONE))
        .thenCompose(turn -> intend(at, turn));
  }

  private CompletableFuture<Write> intend(CacheKey at, Turn turn) {
    forgetHere(at.key());
    WriteIntent intent = new WriteIntent(store, settings, at);
    return intent
        .announce()
        .thenCompose(stands -> store.logged(at.key(), stands))
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
    forgetHere(text);
    return intent
        .end()
        .handle(
            (done, failure) ->
                failure != null && settings.strong
                    ? unended(text, intent, failure)
                    : CompletableFuture.completedFuture(settled(text, failure)))
        .thenCompose(ended -> ended);
  }

  /** The write also ends if no process can have stored the old value. */
  private CompletableFuture<@Nullable Void> unended(
      String text, WriteIntent intent, Throwable failure) {
    pending.add(text);
    return intent
        .hasStood()
        .thenApply(
            stood -> {
              if (!stood) {
                throw new OutcomeUnknownException(
                    store.at(text) + " was written, but an older value may still be served",
                    Failures.unwrap(failure));
              }
              return null;
            });
  }

  // ---- this process ----

  /** The near copies and the loads of this process for a key. */
  private void forgetHere(String text) {
    dropCopy(text);
    loads.detach(text);
  }

  private void forgetAllHere() {
    if (near != null) {
      near.dropAll();
    }
    loads.detachAll();
  }

  /** The near copies that this process may have kept although they were invalidated. */
  private void dropCopy(String text) {
    if (near != null) {
      near.drop(text);
    }
  }
}
