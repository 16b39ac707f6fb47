package dev.sluice.cache;

import static java.util.Objects.requireNonNull;

import dev.sluice.BackendException;
import dev.sluice.OutcomeUnknownException;
import dev.sluice.SluiceException;
import dev.sluice.bloom.BloomFilter;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.call.StoreLine;
import dev.sluice.limit.RateLimiter;
import dev.sluice.spi.CacheEntry;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.Names;
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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The cache behind the interface. Safe for use by many threads. */
final class ClientCache<K, V> implements GuardedCache<K, V> {
  private static final long LOG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  final CacheEngine engine;
  final CacheSettings<K, V> settings;
  final StoreLine line;
  final Counters counters = new Counters();
  final CacheWrites<K, V> writes;
  final Loading<K, V> loading;
  final Renewals<K, V> renewals;
  private final @Nullable NearTier<K, V> near;
  private final RateLimiter fallback;
  private final ConcurrentHashMap<String, KeyLoad<K, V>> loads = new ConcurrentHashMap<>();

  /** Loads under way that nobody joins any more. */
  private final Set<KeyLoad<K, V>> cutOff = ConcurrentHashMap.newKeySet();

  private final AtomicLong nextLog;

  ClientCache(CacheEngine engine, CacheSettings<K, V> settings) {
    this.engine = engine;
    this.settings = settings;
    this.line = new StoreLine(engine.ticker, engine.agenda, engine.callbacks, settings.deadline);
    this.writes = new CacheWrites<>(this);
    this.loading = new Loading<>(this);
    this.renewals = new Renewals<>(this);
    this.fallback = engine.localLimit(settings.name, settings.fallback);
    this.nextLog = new AtomicLong(engine.ticker.nanos());
    this.near = settings.nearSize == 0 ? null : new NearTier<>(this);
  }

  @Override
  public String name() {
    return settings.name;
  }

  CacheKey at(String text) {
    return new CacheKey(settings.name, text);
  }

  // ---- reading ----

  /**
   * What the caches say.
   *
   * @param fresh the value, or empty for absent; null: not known
   * @param stale what may be served in need; null: nothing
   */
  record Found<V>(@Nullable Optional<V> fresh, @Nullable Optional<V> stale) {}

  @Override
  public Optional<V> get(K key) {
    return get(key, loader());
  }

  @Override
  public Optional<V> get(K key, Function<? super K, ? extends @Nullable V> loader) {
    requireNonNull(loader, "loader must not be null");
    Reader.Load<K, V> anew = background(loader);
    Optional<V> copy = copy(key, anew);
    if (copy != null) {
      return copy;
    }
    CacheKey at = at(settings.text(key));
    loading.checkRecursion(at);
    CallerRuns here = new CallerRuns(engine.callbacks);
    long token = nearToken(at.key());
    CompletableFuture<@Nullable CacheEntry> read = read(at);
    ended(read); // what it brings is decoded on this thread
    CompletableFuture<Optional<V>> value =
        answer(key, at, loading.by(loader, loadsOn(here)), anew, read, token);
    if (!value.isDone()) {
      here.await(value, "the value of " + at);
    }
    return outcome(value, at.toString());
  }

  private static void ended(CompletableFuture<?> stage) {
    try {
      stage.join();
    } catch (CompletionException | CancellationException e) {
      // whoever uses the stage sees it
    }
  }

  /** Where loads of a caller run who waits. */
  private Executor loadsOn(CallerRuns here) {
    return settings.isTimed() ? engine.callbacks : here;
  }

  /** What loads a value anew before it expires; null if nothing does. */
  private Reader.@Nullable Load<K, V> background(
      @Nullable Function<? super K, ? extends @Nullable V> loader) {
    return settings.earlyRefresh == 0 || loader == null
        ? null
        : loading.by(loader, engine.callbacks);
  }

  Function<? super K, ? extends @Nullable V> loader() {
    Function<? super K, ? extends @Nullable V> loader = settings.loader;
    if (loader == null) {
      throw new IllegalStateException(
          "cache " + Names.quoted(name()) + " has no loader: give one at build, or with the call");
    }
    return loader;
  }

  /** A copy in this process that may be served; null: none. */
  private @Nullable Optional<V> copy(K key, Reader.@Nullable Load<K, V> background) {
    engine.checkOpen();
    if (near == null) {
      return null;
    }
    long now = engine.ticker.nanos();
    NearTier.Copy<V> copy = near.fresh(requireNonNull(key, "key must not be null"), now);
    if (copy == null || (writes.pending.isAny() && writes.pending.contains(settings.text(key)))) {
      return null;
    }
    counters.nearHits.increment();
    if (background != null && now - copy.refreshAt >= 0) {
      renewals.early(
          key, at(settings.text(key)), background, settings.refreshNanos(key, copy.value));
    }
    return copy.value;
  }

  /** For those who do not wait on their thread. */
  CompletableFuture<Optional<V>> find(K key, Reader.Load<K, V> load) {
    Reader.Load<K, V> anew = settings.earlyRefresh == 0 ? null : load;
    Optional<V> copy = copy(key, anew);
    if (copy != null) {
      return CompletableFuture.completedFuture(copy);
    }
    CacheKey at = at(settings.text(key));
    loading.checkRecursion(at);
    long token = nearToken(at.key());
    CompletableFuture<@Nullable CacheEntry> read = read(at);
    return answer(
        key,
        at,
        load,
        anew,
        read.isDone() ? read : read.thenApplyAsync(e -> e, engine.callbacks),
        token);
  }

  private CompletableFuture<@Nullable CacheEntry> read(CacheKey at) {
    return writes.pending.contains(at.key())
        ? CompletableFuture.failedFuture(
            new BackendException("an invalidation of it is not confirmed yet", null))
        : line.call(() -> engine.backend.read(at));
  }

  private CompletableFuture<Optional<V>> answer(
      K key,
      CacheKey at,
      Reader.Load<K, V> load,
      Reader.@Nullable Load<K, V> anew,
      CompletableFuture<@Nullable CacheEntry> read,
      long token) {
    Reader<K, V> reader = new Reader<>(key, at, load);
    read.thenCompose(entry -> judge(key, at, entry, token, anew))
        .whenComplete(
            (found, failure) -> {
              if (found != null && found.fresh() != null) {
                counters.hits.increment();
                reader.complete(found.fresh());
                return;
              }
              counters.misses.increment();
              if (failure == null) {
                missed(reader, found == null ? null : found.stale());
              } else {
                unanswered(reader, Failures.unwrap(failure));
              }
            });
    return reader;
  }

  private void unanswered(Reader<K, V> reader, Throwable failure) {
    if (Failures.isPassing(failure)) {
      // one answer that was late is no proof: the lease is asked for before the database is
      reader.away = failure instanceof OutcomeUnknownException ? null : failure;
      miss(reader, staleCopy(reader.key));
    } else {
      reader.completeExceptionally(failure);
    }
  }

  long nearToken(String text) {
    return near == null ? 0 : near.token(text);
  }

  private @Nullable Optional<V> staleCopy(K key) {
    return near == null || settings.staleMicros == 0
        ? null
        : near.stale(key, engine.ticker.nanos());
  }

  /**
   * What an entry of the store is worth.
   *
   * @param anew loads the value again if it ends soon; null: nothing does
   */
  CompletableFuture<Found<V>> judge(
      K key,
      CacheKey at,
      @Nullable CacheEntry entry,
      long token,
      Reader.@Nullable Load<K, V> anew) {
    if (entry == null) {
      return CompletableFuture.completedFuture(new Found<>(null, null));
    }
    if (entry.tags().isEmpty()) {
      return CompletableFuture.completedFuture(found(key, at, entry, token, anew));
    }
    return isDropped(entry.tags(), entry.tagVersion())
        .thenApply(
            dropped -> dropped ? new Found<V>(null, null) : found(key, at, entry, token, anew));
  }

  /** Whether a tag was invalidated after a version. */
  CompletableFuture<Boolean> isDropped(List<String> tags, long version) {
    return line.call(() -> engine.backend.invalidatedAt(name(), tags))
        .thenApply(last -> last > version);
  }

  private Found<V> found(
      K key, CacheKey at, CacheEntry entry, long token, Reader.@Nullable Load<K, V> anew) {
    Optional<V> value;
    try {
      byte[] bytes = entry.bytes();
      value = bytes == null ? Optional.empty() : Optional.of(settings.codec.decode(bytes));
    } catch (RuntimeException | LinkageError e) {
      counters.codecFailures.increment();
      warn(at + " cannot be read, and counts as a miss", e);
      return new Found<>(null, null);
    }
    if (!entry.isFresh()) {
      return new Found<>(null, value);
    }
    long left = TimeUnit.MICROSECONDS.toNanos(entry.leftMicros());
    if (near != null) {
      near.keep(key, at.key(), value, left, token);
    }
    long rest = settings.refreshNanos(key, value);
    if (left < rest) {
      renewals.early(key, at, anew, rest);
    }
    return new Found<>(value, null);
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
    CacheKey at = at(settings.text(key));
    long token = nearToken(at.key());
    return read(at)
        .thenCompose(entry -> judge(key, at, entry, token, anew))
        .handle(
            (found, failure) -> {
              if (failure != null && !Failures.isPassing(Failures.unwrap(failure))) {
                throw Failures.forCaller(at.toString(), failure);
              }
              Optional<V> value = found == null ? null : found.fresh();
              (value == null ? counters.misses : counters.hits).increment();
              return value == null ? Optional.empty() : value;
            });
  }

  // ---- misses ----

  /** Asks the guard first. */
  private void missed(Reader<K, V> reader, @Nullable Optional<V> stale) {
    if (settings.existing == null) {
      miss(reader, stale);
      return;
    }
    BloomFilter<? super K> existing = settings.existing;
    line.call(() -> existing.async().mightContain(reader.key))
        .whenComplete(
            (maybe, failure) -> {
              if (failure != null || maybe) { // not known is maybe
                miss(reader, stale);
              } else {
                counters.guarded.increment();
                reader.complete(Optional.empty());
              }
            });
  }

  private void miss(Reader<K, V> reader, @Nullable Optional<V> stale) {
    reader.stale = stale;
    giveUpInTime(reader);
    join(reader);
  }

  void join(Reader<K, V> reader) {
    if (reader.isDone()) {
      return;
    }
    String text = reader.at.key();
    KeyLoad<K, V> load = current(reader.at);
    while (!load.join(reader)) {
      loads.remove(text, load); // it is over
      load = current(reader.at);
    }
    if (engine.isClosed()) { // perhaps nobody looks for it any more
      reader.completeExceptionally(Failures.closed());
    }
  }

  private KeyLoad<K, V> current(CacheKey at) {
    return loads.computeIfAbsent(at.key(), any -> new KeyLoad<>(this, at));
  }

  boolean isCurrent(String text, KeyLoad<K, V> load) {
    return loads.get(text) == load;
  }

  void forget(String text, KeyLoad<K, V> load) {
    loads.remove(text, load);
    cutOff.remove(load);
  }

  /** Lets nobody join a load any more. */
  void cutOff(String text, KeyLoad<K, V> load) {
    cutOff.add(load);
    loads.remove(text, load);
  }

  void wake(String text) {
    KeyLoad<K, V> load = loads.get(text);
    if (load != null) {
      engine.callbacks.execute(load::wake);
    }
  }

  void giveUpInTime(Reader<K, V> reader) {
    Duration soft = settings.softTimeout;
    Duration hard = settings.hardTimeout;
    if (soft != null && reader.stale != null) {
      at(reader, soft, () -> serveStale(reader));
    }
    if (hard != null) {
      at(
          reader,
          hard,
          () -> {
            counters.loadFailures.increment();
            serveStaleOr(
                reader,
                new LoadTimeoutException(
                    "no value of " + reader.at + " within " + hard + "; the load goes on"));
          });
    }
  }

  private void at(Reader<K, V> reader, Duration time, Runnable task) {
    var entry = engine.agenda.in(time.toNanos(), () -> engine.callbacks.execute(task));
    reader.whenComplete((value, failure) -> entry.cancel());
  }

  private boolean serveStale(Reader<K, V> reader) {
    Optional<V> stale = reader.stale;
    if (stale == null || !reader.complete(stale)) {
      return false;
    }
    counters.stale.increment();
    return true;
  }

  void serveStaleOr(Reader<K, V> reader, Throwable failure) {
    if (!serveStale(reader)) {
      reader.completeExceptionally(failure);
    }
  }

  /** Whether the database may be asked although the store is away. */
  boolean mayFallBack(CacheKey at, Throwable away) {
    warn(at + " is loaded past the store", away);
    boolean may = fallback.tryAcquire(name()).allowed();
    (may ? counters.fallbackLoads : counters.fallbackRejections).increment();
    return may;
  }

  @Override
  public Optional<V> refresh(K key) {
    CacheKey at = at(settings.text(key));
    CallerRuns here = new CallerRuns(engine.callbacks);
    CompletableFuture<Optional<V>> value = renewals.asked(key, loading.by(loader(), loadsOn(here)));
    here.await(value, "the value of " + at);
    return outcome(value, at.toString());
  }

  // ---- many at once ----

  @Override
  public Map<K, V> getAll(Collection<? extends K> keys) {
    CallerRuns here = new CallerRuns(engine.callbacks);
    CompletableFuture<Map<K, V>> all = findAll(keys, loadsOn(here));
    here.await(all, keys.size() + " keys of cache " + Names.quoted(name()));
    return outcome(all, "cache " + Names.quoted(name()));
  }

  CompletableFuture<Map<K, V>> findAll(Collection<? extends K> keys, Executor loads) {
    Set<K> distinct = new LinkedHashSet<>(keys);
    BulkLoad<K, V> bulk =
        settings.bulkLoader == null
            ? null
            : new BulkLoad<>(this, settings.bulkLoader, loads, distinct.size());
    Reader.Load<K, V> load = bulk == null ? loading.by(loader(), loads) : bulk;
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

  /** A key that is refused must not keep others, whose loads are to run here, from being loaded. */
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
    outcome(writes.drop(text), at(text).toString());
  }

  @Override
  public void invalidateAll(Collection<? extends K> keys) {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (K key : keys) {
      all.add(writes.drop(settings.text(key)));
    }
    outcome(
        CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0])),
        all.size() + " keys of cache " + Names.quoted(name()));
  }

  @Override
  public void invalidateTag(String tag) {
    engine.checkOpen();
    outcome(
        writes.dropTag(Names.check(tag)),
        "tag " + Names.quoted(tag) + " of cache " + Names.quoted(name()));
  }

  @Override
  public void clear() {
    engine.checkOpen();
    forgetAllHere();
    outcome(writes.clear(), "cache " + Names.quoted(name()));
  }

  @Override
  public <T extends @Nullable Object> T update(K key, Supplier<T> write) {
    requireNonNull(write, "write must not be null");
    CacheKey at = at(settings.text(key));
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

  /** What this process has of a key, and what it is about to have. */
  void forgetHere(String text) {
    if (near != null) {
      near.drop(text);
    }
    KeyLoad<K, V> load = loads.get(text);
    if (load != null) {
      load.detach();
    }
  }

  void forgetAllHere() {
    if (near != null) {
      near.dropAll();
    }
    loads.values().forEach(KeyLoad::detach);
  }

  /** What this process may have kept although it was dropped. */
  void dropCopy(String text) {
    if (near != null) {
      near.drop(text);
    }
  }

  // ---- ends ----

  @Override
  public AsyncGuardedCache<K, V> async() {
    return new AsyncView<>(this);
  }

  @Override
  public CacheStats stats() {
    return counters.read(writes.pending.count());
  }

  void warn(String what, Throwable why) {
    long now = engine.ticker.nanos();
    long due = nextLog.get();
    if (now - due >= 0 && nextLog.compareAndSet(due, now + LOG_PAUSE_NANOS)) {
      CacheEngine.LOG.log(
          System.Logger.Level.WARNING, "{0}, because {1}", what, String.valueOf(why));
    }
  }

  /** The outcome on the caller's thread: the store's failures anew, a loader's as it was thrown. */
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
    line.close();
    loads.values().forEach(KeyLoad::close);
    cutOff.forEach(KeyLoad::close);
    if (near != null) {
      near.close();
    }
  }
}
