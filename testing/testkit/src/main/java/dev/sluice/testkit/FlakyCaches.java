package dev.sluice.testkit;

import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.CacheLog;
import dev.sluice.spi.CacheReply;
import dev.sluice.spi.CacheRequest;
import dev.sluice.spi.CacheValue;
import dev.sluice.testkit.FlakyBackend.Verb;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The guarded caches behind a {@link FlakyBackend}. Safe for use by many threads. */
final class FlakyCaches implements CacheBackend {
  private final FlakyBackend line;
  private final CacheBackend store;

  FlakyCaches(FlakyBackend line, CacheBackend store) {
    this.line = line;
    this.store = store;
  }

  @Override
  public @Nullable String whyNotStrong() {
    return store.whyNotStrong();
  }

  @Override
  public CompletionStage<@Nullable CacheEntry> read(CacheKey key) {
    return line.send(Verb.READ, () -> store.read(key));
  }

  @Override
  public CompletionStage<CacheReply> begin(CacheRequest request) {
    return line.send(Verb.BEGIN, () -> store.begin(request));
  }

  @Override
  public CompletionStage<Boolean> keep(
      CacheKey key, String client, long attempt, long leaseMicros) {
    return line.send(Verb.KEEP, () -> store.keep(key, client, attempt, leaseMicros));
  }

  @Override
  public CompletionStage<Boolean> fill(
      CacheKey key, String client, long attempt, CacheValue value) {
    return line.send(Verb.FILL, () -> store.fill(key, client, attempt, value));
  }

  @Override
  public CompletionStage<Void> abandon(CacheKey key, String client, long attempt) {
    return line.send(Verb.ABANDON, () -> store.abandon(key, client, attempt));
  }

  @Override
  public CompletionStage<Boolean> intend(
      CacheKey key, String client, long attempt, long ttlMicros) {
    return line.send(Verb.INTEND, () -> store.intend(key, client, attempt, ttlMicros));
  }

  @Override
  public CompletionStage<Void> invalidate(CacheKey key, String client, long attempt) {
    return line.send(Verb.INVALIDATE, () -> store.invalidate(key, client, attempt));
  }

  @Override
  public CompletionStage<Void> put(CacheKey key, CacheValue value) {
    return line.send(Verb.PUT, () -> store.put(key, value));
  }

  @Override
  public CompletionStage<Void> clear(String cache) {
    return line.send(Verb.CLEAR, () -> store.clear(cache));
  }

  @Override
  public CompletionStage<Long> tagVersion(String cache) {
    return line.send(Verb.TAGS, () -> store.tagVersion(cache));
  }

  @Override
  public CompletionStage<Void> invalidateTag(String cache, String tag, long keepMicros) {
    return line.send(Verb.DROP_TAG, () -> store.invalidateTag(cache, tag, keepMicros));
  }

  @Override
  public CompletionStage<Long> invalidatedAt(String cache, List<String> tags) {
    return line.send(Verb.TAGS, () -> store.invalidatedAt(cache, tags));
  }

  @Override
  public CompletionStage<String> append(String cache, String key) {
    return line.send(Verb.APPEND, () -> store.append(cache, key));
  }

  @Override
  public CompletionStage<CacheLog> log(String cache, String after) {
    return line.send(Verb.LOG, () -> store.log(cache, after));
  }

  @Override
  public CompletionStage<Void> listenForLoads(String client, Consumer<CacheKey> listener) {
    return store.listenForLoads(
        client,
        key -> {
          if (!line.losesMessages()) {
            listener.accept(key);
          }
        });
  }

  @Override
  public void unlistenForLoads(String client) {
    store.unlistenForLoads(client);
  }
}
