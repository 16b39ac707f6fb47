package dev.sluice.cache;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.SluiceException;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.cache.EntryDecoder.Decoded;
import dev.sluice.internal.call.Failures;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import dev.sluice.text.Names;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The cache behind the interface. Safe for use by many threads. */
final class ClientCache<K, V> implements GuardedCache<K, V> {
  final CacheClient client;
  final CacheStore store;
  final CacheSettings<K, V> settings;
  final Loading<K, V> loading;
  final CacheWrites<K, V> writes;
  final Renewals<K, V> renewals;
  private final @Nullable NearTier<K, V> near;
  private final EntryDecoder<K, V> entries;
  private final KeyLoads<K, V> loads;

  ClientCache(CacheClient client, CacheSettings<K, V> settings) {
    this.client = client;
    this.settings = settings;
    this.store = new CacheStore(client, settings);
    this.near = settings.nearSize == 0 ? null : new NearTier<>(store, settings);
    this.entries = new EntryDecoder<>(store, settings, near);
    this.loading = new Loading<>(store, settings);
    this.loads = new KeyLoads<>(store, settings, entries, loading);
    this.writes = new CacheWrites<>(loads, near);
    this.renewals = new Renewals<>(loads, near);
  }

  @Override
  public String name() {
    return settings.name;
  }

  // ---- reading ----

  @Override
  public Optional<V> get(K key) {
    return get(key, loading.loader());
  }

  @Override
  public Optional<V> get(K key, Function<? super K, ? extends @Nullable V> loader) {
    requireNonNull(loader, "loader must not be null");
    Reader.Load<K, V> anew = background(loader);
    Optional<V> copy = copy(key, anew);
    if (copy != null) {
      return copy;
    }
    CacheKey at = store.at(settings.text(key));
    loading.checkRecursion(at);
    long token = entries.token(at);
    CompletableFuture<@Nullable CacheEntry> read = read(at);
    ended(read); // what it brings is decoded on this thread
    CompletableFuture<Decoded<V>> decoded =
        read.thenCompose(entry -> entries.decode(key, at, entry, token));
    ended(decoded);
    Optional<V> hit =
        decoded.isCompletedExceptionally() ? null : hit(key, at, decoded.join(), anew);
    if (hit != null) {
      return hit;
    }
    CallerRuns here = new CallerRuns(client.callbacks);
    Reader<K, V> reader = new Reader<>(key, at, loading.by(loader, loadsOn(here)));
    decoded.whenComplete((found, failure) -> missed(reader, found, failure));
    if (!reader.isDone()) {
      here.await(reader, "the value of " + at);
    }
    return outcome(reader, at.toString());
  }

  private static void ended(CompletableFuture<?> stage) {
    try {
      stage.join();
    } catch (CompletionException | CancellationException e) {
      // the caller gets it from the stage
    }
  }

  /** The executor of the loads of a waiting caller. */
  private Executor loadsOn(CallerRuns here) {
    return settings.isTimed() ? client.callbacks : here;
  }

  /** Reloads values before they expire; null if that is off. */
  private Reader.@Nullable Load<K, V> background(
      @Nullable Function<? super K, ? extends @Nullable V> loader) {
    return settings.earlyRefresh == 0 || loader == null
        ? null
        : loading.by(loader, client.callbacks);
  }

  /** The near copy that may be served; null if there is none. */
  private @Nullable Optional<V> copy(K key, Reader.@Nullable Load<K, V> background) {
    client.checkOpen();
    if (near == null) {
      return null;
    }
    long now = client.ticker.nanos();
    NearTier.Copy<V> copy = near.fresh(requireNonNull(key, "key must not be null"), now);
    if (copy == null || (writes.pending.isAny() && writes.pending.contains(settings.text(key)))) {
      return null;
    }
    store.counters.nearHits.increment();
    if (background != null && now - copy.refreshAt >= 0) {
      renewals.early(
          key, store.at(settings.text(key)), background, settings.refreshNanos(key, copy.value));
    }
    return copy.value;
  }

  /** The executor of the loads of callers that do not wait. */
  CompletableFuture<Optional<V>> find(K key, Reader.Load<K, V> load) {
    Reader.Load<K, V> anew = settings.earlyRefresh == 0 ? null : load;
    Optional<V> copy = copy(key, anew);
    if (copy != null) {
      return CompletableFuture.completedFuture(copy);
    }
    CacheKey at = store.at(settings.text(key));
    loading.checkRecursion(at);
    long token = entries.token(at);
    CompletableFuture<@Nullable CacheEntry> read = read(at);
    if (!read.isDone()) {
      read = read.thenApplyAsync(entry -> entry, client.callbacks);
    }
    Reader<K, V> reader = new Reader<>(key, at, load);
    CompletableFuture<Decoded<V>> decoded =
        read.thenCompose(entry -> entries.decode(key, at, entry, token));
    decoded.whenComplete(
        (found, failure) -> {
          Optional<V> hit = found == null ? null : hit(key, at, found, anew);
          if (hit == null) {
            missed(reader, found, failure);
          } else {
            reader.complete(hit);
          }
        });
    return reader;
  }

  private CompletableFuture<@Nullable CacheEntry> read(CacheKey at) {
    return writes.pending.contains(at.key())
        ? CompletableFuture.failedFuture(
            new BackendException("an invalidation of it is not confirmed yet", null))
        : store.read(at);
  }

  /** Counts a fresh value, and refreshes one that expires soon. Null if the entry is not fresh. */
  private @Nullable Optional<V> hit(
      K key, CacheKey at, Decoded<V> found, Reader.@Nullable Load<K, V> anew) {
    if (found.fresh() != null) {
      store.counters.hits.increment();
      renewals.early(key, at, anew, found.renewNanos());
    }
    return found.fresh();
  }

  private @Nullable Optional<V> staleCopy(K key) {
    return near == null || settings.staleMicros == 0
        ? null
        : near.stale(key, client.ticker.nanos());
  }

  @Override
  public Optional<V> getIfPresent(K key) {
    return outcome(findPresent(key), settings.what(key));
  }

  CompletableFuture<Optional<V>> findPresent(K key) {
    Reader.Load<K, V> anew = background(settings.loader);
    Optional<V> copy = copy(key, anew);
    if (copy != null) {
      return CompletableFuture.completedFuture(copy);
    }
    CacheKey at = store.at(settings.text(key));
    long token = entries.token(at);
    return read(at)
        .thenCompose(entry -> entries.decode(key, at, entry, token))
        .handle(
            (found, failure) -> {
              if (failure != null && !Failures.isPassing(Failures.unwrap(failure))) {
                throw Failures.forCaller(at.toString(), failure);
              }
              Optional<V> value = found == null ? null : hit(key, at, found, anew);
              if (value == null) {
                store.counters.misses.increment();
                return Optional.empty();
              }
              return value;
            });
  }

  // ---- misses ----

  private void missed(
      Reader<K, V> reader, @Nullable Decoded<V> found, @Nullable Throwable failure) {
    store.counters.misses.increment();
    if (found != null) {
      askFilter(reader, found.stale());
      return;
    }
    Throwable cause = Failures.unwrap(requireNonNull(failure));
    if (Failures.isPassing(cause)) {
      // one answer that was late is no proof: the lease is asked for before the database is
      reader.away = cause instanceof OutcomeUnknownException ? null : cause;
      miss(reader, staleCopy(reader.key));
    } else {
      reader.completeExceptionally(cause);
    }
  }

  private void askFilter(Reader<K, V> reader, @Nullable Optional<V> stale) {
    if (settings.existing == null) {
      miss(reader, stale);
      return;
    }
    BloomFilter<? super K> existing = settings.existing;
    store
        .call(() -> existing.async().mightContain(reader.key))
        .whenComplete(
            (maybe, failure) -> {
              if (failure != null || maybe) { // not known is maybe
                miss(reader, stale);
              } else {
                store.counters.guarded.increment();
                reader.complete(Optional.empty());
              }
            });
  }

  private void miss(Reader<K, V> reader, @Nullable Optional<V> stale) {
    reader.stale = stale;
    loads.giveUpInTime(reader);
    loads.join(reader);
  }

  void wake(String text) {
    loads.wake(text);
  }

  @Override
  public Optional<V> refresh(K key) {
    CacheKey at = store.at(settings.text(key));
    CallerRuns here = new CallerRuns(client.callbacks);
    CompletableFuture<Optional<V>> value =
        renewals.asked(key, loading.by(loading.loader(), loadsOn(here)));
    here.await(value, "the value of " + at);
    return outcome(value, at.toString());
  }

  // ---- many keys ----

  @Override
  public Map<K, V> getAll(Collection<? extends K> keys) {
    CallerRuns here = new CallerRuns(client.callbacks);
    CompletableFuture<Map<K, V>> all = findAll(keys, loadsOn(here));
    here.await(all, keys.size() + " keys of cache " + Names.quoted(name()));
    return outcome(all, "cache " + Names.quoted(name()));
  }

  CompletableFuture<Map<K, V>> findAll(Collection<? extends K> keys, Executor loads) {
    Set<K> distinct = new LinkedHashSet<>(keys);
    BulkLoad<K, V> bulk =
        settings.bulkLoader == null
            ? null
            : new BulkLoad<>(loading, client.timers, settings.bulkLoader, loads, distinct.size());
    Reader.Load<K, V> load = bulk == null ? loading.by(loading.loader(), loads) : bulk;
    Map<K, CompletableFuture<Optional<V>>> found = new LinkedHashMap<>();
    for (K key : distinct) {
      CompletableFuture<Optional<V>> value = findOrFail(key, load);
      found.put(key, value);
      if (bulk != null) {
        value.whenComplete((v, failure) -> bulk.decided(key));
      }
    }
    CompletableFuture<Map<K, V>> all =
        CompletableFuture.allOf(found.values().toArray(new CompletableFuture<?>[0]))
            .thenApply(
                any -> {
                  Map<K, V> values = new LinkedHashMap<>();
                  found.forEach((key, value) -> value.join().ifPresent(v -> values.put(key, v)));
                  return values;
                });
    all.whenComplete(
        (values, failure) -> {
          if (all.isCancelled()) {
            found.values().forEach(value -> value.cancel(false));
          }
        });
    return all;
  }

  /** A refused key must not prevent other keys from being loaded on this thread. */
  private CompletableFuture<Optional<V>> findOrFail(K key, Reader.Load<K, V> load) {
    try {
      return find(key, load);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  // ---- writing ----

  @Override
  public void put(K key, V value) {
    outcome(writes.store(key, value, null), settings.what(key));
  }

  @Override
  public void put(K key, V value, Duration ttl) {
    outcome(writes.store(key, value, settings.checkTtl(ttl)), settings.what(key));
  }

  @Override
  public void invalidate(K key) {
    String text = settings.text(key);
    outcome(writes.drop(text), store.at(text).toString());
  }

  @Override
  public void invalidateAll(Collection<? extends K> keys) {
    outcome(dropAll(keys), keys.size() + " keys of cache " + Names.quoted(name()));
  }

  CompletableFuture<Void> dropAll(Collection<? extends K> keys) {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (K key : keys) {
      all.add(writes.drop(settings.text(key)));
    }
    return CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]));
  }

  @Override
  public void invalidateTag(String tag) {
    outcome(dropTag(tag), "tag " + Names.quoted(tag) + " of cache " + Names.quoted(name()));
  }

  CompletableFuture<Void> dropTag(String tag) {
    client.checkOpen();
    return writes.dropTag(Names.check("tag", tag));
  }

  @Override
  public void clear() {
    outcome(dropEverything(), "cache " + Names.quoted(name()));
  }

  CompletableFuture<Void> dropEverything() {
    client.checkOpen();
    return writes.clear();
  }

  @Override
  public <T extends @Nullable Object> T update(K key, Supplier<T> write) {
    requireNonNull(write, "write must not be null");
    CacheKey at = store.at(settings.text(key));
    CacheWrites.Write announced = outcome(writes.announce(key, at), at.toString());
    T result;
    try {
      result = write.get();
    } catch (Throwable t) {
      ended(announced.end()); // it may have been written
      throw t;
    }
    outcome(announced.end(), at.toString());
    return result;
  }

  // ---- ends ----

  @Override
  public AsyncGuardedCache<K, V> async() {
    return new AsyncView<>(this);
  }

  @Override
  public CacheStats stats() {
    return store.counters.read(writes.pending.count());
  }

  /**
   * The outcome on the caller's thread: a failure of the store is wrapped again, a loader's failure
   * is thrown unchanged.
   */
  static <T extends @Nullable Object> T outcome(CompletableFuture<T> stage, String what) {
    try {
      return stage.join();
    } catch (RuntimeException e) {
      Throwable cause = Failures.unwrap(e);
      if (cause instanceof BackendException) {
        throw Failures.forCaller(what, cause);
      }
      if (cause instanceof RuntimeException thrown) {
        throw thrown;
      }
      if (cause instanceof Error error) {
        throw error;
      }
      throw new SluiceException(what + ": " + cause.getMessage(), cause);
    }
  }

  void close() {
    store.close();
    loads.close();
    if (near != null) {
      near.close();
    }
  }
}
