package dev.sluice.testkit.cache;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A source of cached rows, whose loads a test can hold after they have read. Safe for use by many
 * threads.
 */
final class SlowDatabase implements AutoCloseable {
  private static final Duration MAX_HOLD = Duration.ofSeconds(60);

  private final Map<String, String> rows = new ConcurrentHashMap<>();
  private final List<String> loads = new CopyOnWriteArrayList<>();
  private final List<Set<String>> batches = new CopyOnWriteArrayList<>();
  private final AtomicInteger running = new AtomicInteger();
  private volatile CountDownLatch gate = new CountDownLatch(0);
  private volatile @Nullable RuntimeException failure;

  /** Loads that begin from now on read their row, and then wait for a release. */
  void hold() {
    gate = new CountDownLatch(1);
  }

  /** Completes loads. */
  void letGo() {
    gate.countDown();
  }

  /** Makes held loads complete when it is closed. */
  @Override
  public void close() {
    letGo();
  }

  /** The failure of all loads from now on; null if they succeed. */
  void failWith(@Nullable RuntimeException failure) {
    this.failure = failure;
  }

  void write(String key, String value) {
    rows.put(key, value);
  }

  void delete(String key) {
    rows.remove(key);
  }

  /** Loads once; null if there is no such row. */
  @Nullable String load(String key) {
    loads.add(key);
    String row = rows.get(key);
    wait(gate);
    return row;
  }

  /** One load of several keys. */
  Map<String, String> loadAll(Set<String> keys) {
    batches.add(Set.copyOf(keys));
    Map<String, String> found = new HashMap<>(rows);
    found.keySet().retainAll(keys);
    wait(gate);
    return found;
  }

  private void wait(CountDownLatch gate) {
    running.incrementAndGet();
    try {
      if (!gate.await(MAX_HOLD.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException("the test never released this load");
      }
      RuntimeException thrown = failure;
      if (thrown != null) {
        throw thrown;
      }
    } catch (InterruptedException caught) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("a load was interrupted", caught);
    } finally {
      running.decrementAndGet();
    }
  }

  /** The number of loads that have begun. */
  int loads() {
    return loads.size();
  }

  int loads(String key) {
    return (int) loads.stream().filter(key::equals).count();
  }

  /** The number of loads under way. */
  int running() {
    return running.get();
  }

  /** The keys of the loads of several keys, in order. */
  List<Set<String>> batches() {
    return List.copyOf(batches);
  }
}
