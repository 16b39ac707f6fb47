package dev.sluice.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sluice.internal.Agenda;
import dev.sluice.spi.CacheLog;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Copies of values in this process. The log of the cache says what others drop; copies are served
 * only while the log was read not long ago, so they are never older than that. Safe for use by many
 * threads.
 */
final class NearTier<V> {
  private static final int STRIPES = 1024;
  private static final int POLLS_PER_BOUND = 4;

  /** A copy, with times of the ticker. */
  record Copy<V>(Optional<V> value, long freshUntil, long staleUntil, long epoch) {}

  private final CacheEngine engine;
  private final ClientCache<?, V> cache;
  private final CacheSettings<?, V> settings;
  private final Cache<String, Copy<V>> copies;
  private final long staleness;

  /*
   * What was read from the store before a drop must not be kept after it. A reader remembers the
   * count of drops of its key's stripe, and the epoch, from before its read.
   */
  private final AtomicLongArray drops = new AtomicLongArray(STRIPES);

  /** Grows when all copies are given up. */
  private volatile long epoch = 1;

  // written by the one poll under way
  private @Nullable String place;

  /** When the last poll that saw the end of the log was sent. */
  private volatile long syncedAt;

  private volatile boolean synced;
  private volatile boolean closed;

  NearTier(ClientCache<?, V> cache) {
    this.cache = cache;
    this.engine = cache.engine;
    this.settings = cache.settings;
    this.copies = Caffeine.newBuilder().maximumSize(settings.nearSize).build();
    this.staleness = settings.nearStalenessNanos;
    engine.callbacks.execute(this::poll);
  }

  // ---- copies ----

  /** A copy that may be served at this time. */
  @Nullable Copy<V> fresh(String key, long now) {
    Copy<V> copy = copies.getIfPresent(key);
    return copy != null
            && copy.epoch == epoch
            && now - copy.freshUntil < 0
            && synced
            && now - syncedAt < staleness
        ? copy
        : null;
  }

  /** What may be served in need: nothing fresher is to be had. */
  @Nullable Optional<V> stale(String key, long now) {
    Copy<V> copy = copies.getIfPresent(key);
    return copy != null && now - copy.staleUntil < 0 ? copy.value : null;
  }

  private static int stripe(String key) {
    int hash = key.hashCode();
    return (hash ^ hash >>> 16) & (STRIPES - 1);
  }

  /** To be asked for before the store is read. */
  long token(String key) {
    return epoch + drops.get(stripe(key));
  }

  /**
   * Keeps what the store had, unless it was dropped since.
   *
   * @param leftNanos how long it is fresh at the store
   * @param token from before the store was read
   */
  void keep(String key, Optional<V> value, long leftNanos, long token) {
    long now = engine.ticker.nanos();
    long fresh = Math.min(leftNanos, settings.nearNanos);
    long stale = leftNanos + TimeUnit.MICROSECONDS.toNanos(settings.staleMicros);
    copies
        .asMap()
        .compute(
            key,
            (k, old) -> {
              long before = epoch;
              return before + drops.get(stripe(k)) == token
                  ? new Copy<>(value, now + fresh, now + stale, before)
                  : old;
            });
  }

  void drop(String key) {
    drops.incrementAndGet(stripe(key));
    copies.asMap().remove(key);
  }

  void dropAll() {
    synchronized (this) {
      epoch += 1L << 32; // far from what drops add up to
    }
    copies.invalidateAll();
  }

  // ---- the log ----

  private void poll() {
    if (closed) {
      return;
    }
    long sent = engine.ticker.nanos();
    String from = place;
    if (from == null) {
      begin(sent);
      return;
    }
    cache
        .line
        .call(() -> engine.backend.log(settings.name, from))
        .whenComplete((page, failure) -> read(sent, page));
  }

  /** Makes a place in the log: what is dropped later stands behind it. */
  private void begin(long sent) {
    cache
        .line
        .call(() -> engine.backend.append(settings.name, engine.clientId))
        .whenComplete(
            (made, failure) -> {
              if (made != null) {
                dropAll();
                place = made;
                syncedAt = sent;
                synced = true;
              }
              again();
            });
  }

  private void read(long sent, @Nullable CacheLog page) {
    if (page == null) { // the store is away; copies go out of use by themselves
      again();
      return;
    }
    if (!page.complete()) {
      synced = false;
      place = null;
      poll();
      return;
    }
    for (String key : page.keys()) {
      if (key.equals(CacheLog.ALL)) {
        dropAll();
      } else {
        drop(key);
      }
    }
    place = page.end();
    if (page.keys().isEmpty()) {
      syncedAt = sent;
      again();
    } else {
      poll(); // until the end is seen
    }
  }

  private void again() {
    if (!closed) {
      Agenda agenda = engine.agenda;
      agenda.in(staleness / POLLS_PER_BOUND, this::poll);
    }
  }

  void close() {
    closed = true;
    copies.invalidateAll();
  }
}
