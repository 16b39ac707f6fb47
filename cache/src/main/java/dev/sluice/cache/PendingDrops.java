package dev.sluice.cache;

import dev.sluice.internal.call.Failures;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Invalidations that the store has not confirmed. They are repeated until it does, and until then
 * this process reads past the cache. Safe for use by many threads.
 */
final class PendingDrops {
  private static final int MAX_COUNT = 10_000;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final CacheStore store;
  private final Supplier<CompletableFuture<?>> clear;
  private final Map<String, Object> keys = new ConcurrentHashMap<>();

  /**
   * The number of keys above which everything is dropped instead of single keys. Written under
   * this.
   */
  private volatile boolean all;

  // guarded by this
  private boolean armed;

  /** Counts keys that were not stored. */
  private long overflows;

  /**
   * None yet.
   *
   * @param clear drops all values of the cache
   */
  PendingDrops(CacheStore store, Supplier<CompletableFuture<?>> clear) {
    this.store = store;
    this.clear = clear;
  }

  boolean isAny() {
    return all || !keys.isEmpty();
  }

  boolean contains(String key) {
    return all || keys.containsKey(key);
  }

  long count() {
    return all ? Math.max(MAX_COUNT, keys.size()) : keys.size();
  }

  void add(String key) {
    if (keys.size() < MAX_COUNT) {
      keys.put(key, new Object());
    } else {
      overflow();
    }
    arm();
  }

  private synchronized void overflow() {
    overflows++;
    all = true;
  }

  private synchronized long overflows() {
    return overflows;
  }

  /** Everything was dropped; drops that came too late for that are still pending. */
  private synchronized boolean finish(long before) {
    all = overflows != before;
    return !all;
  }

  private synchronized void arm() {
    if (!armed) {
      armed = true;
      store.client.timers.in(PAUSE_NANOS, this::repeat);
    }
  }

  private void repeat() {
    synchronized (this) {
      armed = false;
    }
    if (all) {
      long before = overflows();
      clear
          .get()
          .whenComplete(
              (done, failure) -> {
                if (failure == null && finish(before)) {
                  repeatKeys();
                } else {
                  arm();
                }
              });
    } else {
      repeatKeys();
    }
  }

  private void repeatKeys() {
    keys.forEach(
        (key, added) -> {
          CompletableFuture<?> dropped = store.drop(store.at(key), 0);
          dropped.whenComplete(
              (done, failure) -> {
                if (failure == null || !Failures.isPassing(Failures.unwrap(failure))) {
                  keys.remove(key, added); // a later one of this key is to be repeated itself
                } else {
                  arm();
                }
              });
        });
  }
}
