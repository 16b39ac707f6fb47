package dev.sluice.redis.keys;

import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/**
 * Prepared keys of the names in use. Preparing them costs more than the rest of a request. There is
 * room for {@link #MAX_NAMES} names. Beyond that each new name replaces the oldest one, so the
 * memory of a client that always uses new names stays the same.
 *
 * <p>Safe for use by many threads.
 */
final class RecentKeys<N, K> {
  static final int MAX_NAMES = 10_000;

  private final Function<N, K> prepare;
  private final ConcurrentHashMap<N, K> known = new ConcurrentHashMap<>();

  /** The names in {@code known}, oldest first. */
  private final Queue<N> order = new ConcurrentLinkedQueue<>();

  RecentKeys(Function<N, K> prepare) {
    this.prepare = prepare;
  }

  K of(N name) {
    K keys = known.get(name);
    return keys != null ? keys : add(name);
  }

  private K add(N name) {
    K keys = prepare.apply(name);
    K earlier = known.putIfAbsent(name, keys);
    if (earlier != null) {
      return earlier;
    }
    order.add(name);
    while (known.size() > MAX_NAMES) {
      N oldest = order.poll();
      if (oldest == null) {
        break; // another thread has put a name into the map and not into the queue yet
      }
      known.remove(oldest);
    }
    return keys;
  }

  int size() {
    return known.size();
  }
}
