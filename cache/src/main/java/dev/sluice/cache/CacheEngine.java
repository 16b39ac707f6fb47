package dev.sluice.cache;

import dev.sluice.Sluice;
import dev.sluice.internal.call.Agenda;
import dev.sluice.internal.call.Failures;
import dev.sluice.internal.limit.LimitEngine;
import dev.sluice.limit.Limit;
import dev.sluice.limit.RateLimiter;
import dev.sluice.limit.RateLimiterOptions;
import dev.sluice.memory.MemoryBackend;
import dev.sluice.spi.CacheBackend;
import dev.sluice.spi.CacheKey;
import dev.sluice.spi.ClientParts;
import dev.sluice.spi.Ticker;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One client's caches over one backend: one timer, one inbox. Safe for use by many threads. */
final class CacheEngine implements AutoCloseable {
  static final System.Logger LOG = System.getLogger("dev.sluice.cache");

  /** Any moment of this century: a store takes what it finds of an earlier one for foreign. */
  private static final long LOCAL_EPOCH_MICROS = 2_000_000_000_000_000L;

  final CacheBackend backend;
  final String clientId;
  final Ticker ticker;
  final Executor callbacks;
  final Agenda agenda;

  /** Limits of this process alone, for loads while the store is away. */
  private final LimitEngine local;

  private final AtomicLong attempts = new AtomicLong();
  private final Set<ClientCache<?, ?>> caches = ConcurrentHashMap.newKeySet();
  // guarded by this
  private @Nullable CompletableFuture<Void> listening;
  private volatile boolean closed;

  private CacheEngine(ClientParts parts) {
    this.backend = parts.backend().caches();
    this.clientId = parts.clientId();
    this.ticker = parts.ticker();
    this.callbacks = parts.callbacks();
    this.agenda = new Agenda(ticker, parts.scheduler());
    long start = ticker.nanos();
    MemoryBackend memory =
        new MemoryBackend(() -> LOCAL_EPOCH_MICROS + (ticker.nanos() - start) / 1000);
    this.local =
        new LimitEngine(memory.limits(), clientId, ticker, parts.scheduler(), parts.callbacks());
  }

  static CacheEngine of(Sluice sluice) {
    return sluice.extension(CacheEngine.class, CacheEngine::new);
  }

  <K, V> GuardedCache<K, V> cache(
      GuardedCacheBuilder<K, V> settings,
      @Nullable Function<? super K, ? extends @Nullable V> loader) {
    checkOpen();
    String why = backend.whyNotStrong();
    if (settings.consistency == Consistency.STRONG && why != null) {
      throw new UnsupportedOperationException("this store cannot give STRONG: " + why);
    }
    ClientCache<K, V> cache = new ClientCache<>(this, new CacheSettings<>(settings, loader));
    caches.add(cache);
    listens();
    return cache;
  }

  List<GuardedCache<?, ?>> caches() {
    return List.copyOf(caches);
  }

  RateLimiter localLimit(String name, Limit limit) {
    return local.limiter(name, RateLimiterOptions.of(limit));
  }

  long nextAttempt() {
    return attempts.incrementAndGet();
  }

  /** Whether messages arrive; sees to it that they soon do. */
  synchronized boolean listens() {
    CompletableFuture<Void> known = listening;
    if (known == null || known.isCompletedExceptionally()) {
      try {
        known = backend.listenForLoads(clientId, this::wake).toCompletableFuture().copy();
      } catch (RuntimeException e) {
        known = CompletableFuture.failedFuture(e);
      }
      listening = known;
    }
    return known.isDone() && !known.isCompletedExceptionally();
  }

  private void wake(CacheKey key) {
    for (ClientCache<?, ?> cache : caches) {
      if (cache.name().equals(key.cache())) {
        cache.wake(key.key());
      }
    }
  }

  boolean isClosed() {
    return closed;
  }

  void checkOpen() {
    if (closed) {
      throw Failures.closed();
    }
  }

  @Override
  public void close() {
    closed = true;
    caches.forEach(ClientCache::close);
    synchronized (this) {
      if (listening != null) {
        backend.unlistenForLoads(clientId);
      }
    }
    local.close();
    agenda.close();
  }
}
