package dev.sluice.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sluice.spi.CacheLog;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Copies of values in this process. The log of the cache says what others drop; copies are served
 * only while the log was read not long ago, so they are never older than that. Safe for use by many
 * threads.
 */
final class NearTier<K, V> {
  private static final int MIN_STRIPES = 1 << 10;
  private static final int MAX_STRIPES = 1 << 20;
  private static final int POLLS_PER_BOUND = 4;

  /** More than the distance that drops can reach. */
  private static final long EPOCH = 1L << 40;

  /** A copy, with times of the ticker. */
  static final class Copy<V> {
    final Optional<V> value;
    private final long freshUntil;
    final long refreshAt;
    private final long staleUntil;
    private final int stripe;
    private final long token;

    private Copy(
        Optional<V> value,
        long freshUntil,
        long refreshAt,
        long staleUntil,
        int stripe,
        long token) {
      this.value = value;
      this.freshUntil = freshUntil;
      this.refreshAt = refreshAt;
      this.staleUntil = staleUntil;
      this.stripe = stripe;
      this.token = token;
    }
  }

  private final CacheStore store;
  private final CacheClient client;
  private final CacheSettings<K, V> settings;
  private final Cache<K, Copy<V>> copies;
  private final long staleness;

  /*
   * Nothing is looked for when a key is dropped: its stripe counts drops, and a copy says what the
   * count was before its value was read from the store. So a copy of what was read before a drop
   * is of no use, whenever it arrives. Keys of one stripe suffer together, which costs a read.
   */
  private final AtomicLongArray drops;

  /** Incremented when all copies are dropped. */
  private final AtomicLong epoch = new AtomicLong();

  // written by the one poll under way
  private @Nullable String position;

  /** The send time of the last poll that saw the end of the log. */
  private volatile long syncedAt;

  private volatile boolean synced;
  private volatile boolean closed;

  NearTier(CacheStore store, CacheSettings<K, V> settings) {
    this.store = store;
    this.client = store.client;
    this.settings = settings;
    this.copies = Caffeine.newBuilder().maximumSize(settings.nearSize).build();
    this.staleness = settings.nearStalenessNanos;
    long wanted = Math.max(MIN_STRIPES, Math.min(MAX_STRIPES, settings.nearSize));
    this.drops = new AtomicLongArray((int) Long.highestOneBit(2 * wanted - 1));
    client.callbacks.execute(this::poll);
  }

  // ---- copies ----

  /** A copy that may be served at this time. */
  @Nullable Copy<V> fresh(K key, long now) {
    Copy<V> copy = copies.getIfPresent(key);
    return copy != null
            && now - copy.freshUntil < 0
            && isCurrent(copy)
            && synced
            && now - syncedAt < staleness
        ? copy
        : null;
  }

  /** The copy that may be served stale, if nothing fresher can be read. */
  @Nullable Optional<V> stale(K key, long now) {
    Copy<V> copy = copies.getIfPresent(key);
    return copy != null && now - copy.staleUntil < 0 && isCurrent(copy) ? copy.value : null;
  }

  private boolean isCurrent(Copy<V> copy) {
    return epoch.get() + drops.get(copy.stripe) == copy.token;
  }

  private int stripe(String text) {
    int hash = text.hashCode();
    return (hash ^ hash >>> 16) & (drops.length() - 1);
  }

  /** Read before the request to the store. */
  long token(String text) {
    return epoch.get() + drops.get(stripe(text));
  }

  /**
   * Keeps a value of the store.
   *
   * @param text the key's name at the store
   * @param leftNanos how long it is fresh at the store
   * @param token from before the store was read
   */
  void keep(K key, String text, Optional<V> value, long leftNanos, long token) {
    long now = client.ticker.nanos();
    long fresh = now + Math.min(leftNanos, settings.nearNanos);
    long stale = now + leftNanos + TimeUnit.MICROSECONDS.toNanos(settings.staleMicros);
    long refresh = now + leftNanos - settings.refreshNanos(key, value);
    copies.put(key, new Copy<>(value, fresh, refresh, stale, stripe(text), token));
  }

  void drop(String text) {
    drops.incrementAndGet(stripe(text));
  }

  void dropAll() {
    epoch.addAndGet(EPOCH);
    copies.invalidateAll();
  }

  // ---- the log ----

  private void poll() {
    if (closed) {
      return;
    }
    long sent = client.ticker.nanos();
    String from = position;
    if (from == null) {
      begin(sent);
      return;
    }
    store.log(from).whenComplete((page, failure) -> read(sent, page));
  }

  /** Reserves a position in the log, before all later drops. */
  private void begin(long sent) {
    store
        .append(client.id)
        .whenComplete(
            (made, failure) -> {
              if (made != null) {
                dropAll();
                position = made;
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
      position = null;
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
    position = page.end();
    if (page.keys().isEmpty()) {
      syncedAt = sent;
      again();
    } else {
      poll(); // until the end is seen
    }
  }

  private void again() {
    if (!closed) {
      client.timers.in(staleness / POLLS_PER_BOUND, this::poll);
    }
  }

  void close() {
    closed = true;
    copies.invalidateAll();
  }
}
